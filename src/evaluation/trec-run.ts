import { SkillSearchError } from '../index.js';
import type { RankedDocument, Run } from './benchmark.js';
import { faultIn, readLines } from './read-lines.js';

/**
 * Reads a run as trec_eval does: lines of question, `Q0`, document, rank, score and a name, with white space between them. Of
 * each question the documents are put in order by score, in single precision, those that are equal by id, the last first; the
 * ranks that the file gives are not looked at.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
export async function readRun(path: string): Promise<Run> {
  const found = new Map<string, Map<string, number>>();
  for await (const { number, text } of readLines(path)) {
    const fields = text.trim().split(/\s+/);
    const [question, , document, , given] = fields;
    const score = Math.fround(Number(given));
    if (fields.length !== 6 || question === undefined || document === undefined || !Number.isFinite(score)) {
      throw faultIn(
        path,
        number,
        'expected question, Q0, document, rank, score and a name, with white space between them',
      );
    }
    const ranking = found.get(question) ?? new Map<string, number>();
    if (ranking.has(document)) throw faultIn(path, number, `the document ${document} occurs twice for ${question}`);
    found.set(question, ranking.set(document, score));
  }
  return new Map(Array.from(found, ([question, ranking]) => [question, inOrder(ranking)]));
}

function inOrder(scores: ReadonlyMap<string, number>): RankedDocument[] {
  return Array.from(scores, ([id, score]) => ({ id, score })).sort(
    (a, b) => b.score - a.score || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}

/**
 * A run as text that trec_eval reads. Every reader puts equal scores in an order of its own: so a score that is not below
 * the one before, in single precision, is written as the next number below.
 *
 * @param name of what made the run, a word
 * @throws {SkillSearchError} `INVALID_SOURCE` where an id has white space or is empty, which the format cannot carry
 */
export function writeRun(run: Run, name: string): string {
  const lines: string[] = [];
  for (const [question, ranking] of run) {
    let last = Number.POSITIVE_INFINITY;
    for (const [i, { id, score }] of ranking.entries()) {
      const single = Math.fround(score);
      last = single < last ? single : below(last);
      lines.push(`${word(question)} Q0 ${word(id)} ${i + 1} ${last} ${word(name)}\n`);
    }
  }
  return lines.join('');
}

function word(text: string): string {
  if (text !== '' && !/\s/.test(text)) return text;
  throw new SkillSearchError(
    'INVALID_SOURCE',
    `an id of a run must not be empty or have white space, got ${JSON.stringify(text)}`,
  );
}

const SINGLE = new Float32Array(1);
const BITS = new Int32Array(SINGLE.buffer);

/** The largest number of single precision below one. */
function below(value: number): number {
  SINGLE[0] = value === 0 ? 0 : value;
  const bits = BITS[0]!;
  // The bits of positive numbers ascend with them, those of negative ones descend.
  BITS[0] = bits === 0 ? -0x7fffffff : bits > 0 ? bits - 1 : bits + 1;
  return SINGLE[0];
}
