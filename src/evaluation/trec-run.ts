import { SkillSearchError } from '../index.js';
import type { RankedDocument, Run } from './benchmark.js';
import { faultIn, readLines } from './read-lines.js';

/**
 * Reads a run as trec_eval does: lines of question, `Q0`, document, rank, score and name, separated by white space. The
 * documents of a question are sorted by score in single precision, equal scores by id in descending order. The ranks of
 * the file are ignored.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND` if there is no such file; `INVALID_SOURCE` with file and line
 * @example
 * import { readRun } from 'skill-discovery/evaluation';
 *
 * const run = await readRun('mine.run');
 * console.log(run.get('q1')?.[0]); // { id: 'doc-7', score: 12.5 }
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
 * A run as text for trec_eval. Readers sort equal scores differently, so a score that is not below the one before it,
 * in single precision, is written as the next smaller number.
 *
 * @param name of the run, a single word
 * @throws {SkillSearchError} `INVALID_SOURCE` if an id or the name is empty or has white space
 * @example
 * import { writeRun } from 'skill-discovery/evaluation';
 *
 * console.log(writeRun(new Map([['q1', [{ id: 'a', score: 1 }]]]), 'mine')); // q1 Q0 a 1 1 mine
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

/** The next smaller number in single precision. */
function below(value: number): number {
  SINGLE[0] = value === 0 ? 0 : value;
  const bits = BITS[0]!;
  // The bits of a positive number, read as an integer, grow with it; those of a negative number shrink.
  BITS[0] = bits === 0 ? -0x7fffffff : bits > 0 ? bits - 1 : bits + 1;
  return SINGLE[0];
}
