import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkOptions, checkPath, checkText, describeValue, namesOf, nearestName } from '../core/index.js';
import { SkillSearchError } from '../index.js';
import { type Benchmark, type Gains, LEAST_USEFUL, type Question } from './benchmark.js';
import { type BenchmarkFiles, readBenchmarkFiles, type WrittenQuestion } from './benchmark-files.js';

/** Options of {@link readBenchmark}. */
export interface ReadBenchmarkOptions {
  /** Path of other judgements for the questions of a folder. @default the folder's own */
  readonly qrels?: string | undefined;
  /** Keeps only questions whose id matches. @default all questions */
  readonly filter?: RegExp | undefined;
  /**
   * The text field of a question that is asked, such as its translation. Questions without it are left out.
   *
   * @default 'text' in a folder, 'query' in a file
   */
  readonly ask?: string | undefined;
}

const OPTIONS = namesOf<ReadBenchmarkOptions>({ qrels: true, filter: true, ask: true });

/**
 * Reads a benchmark. Questions that nobody judged are left out. Questions that were judged, but have no relevant
 * document, are its `unserved` ones; if the benchmark is graded, those without a useful document, with a gain of 2 or
 * more.
 *
 * A benchmark is a folder in the BEIR layout: `queries.jsonl` with `_id` and `text`, `qrels.tsv` or `qrels/test.tsv`
 * with question, document and gain, and optionally `corpus.jsonl` with the documents; each may be gzip with `.gz`. It
 * is graded if its gains are 0, 1, 2 and 3, with some 0 and some 3. Or it is a JSON Lines file of questions, each with
 * the ids that answer it, `{"query": "…", "relevant": ["…"]}`, or each with such grades, `{"query": "…", "grades":
 * {"…": 3}}`.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND` if there is no such file or folder; `INVALID_SOURCE` for a faulty one,
 *   with file and line; `INVALID_OPTION` if `filter` matches nothing, if no question has the field `ask`, or for
 *   `qrels` with a file
 * @example
 * import { readBenchmark } from 'skill-discovery/evaluation';
 *
 * const { questions, remarks } = await readBenchmark('scifact');
 * console.log(questions.length, remarks);
 */
export async function readBenchmark(path: string, options: ReadBenchmarkOptions = {}): Promise<Benchmark> {
  checkOptions(options, OPTIONS);
  const { qrels, filter, ask } = options;
  checkText('ask', ask);
  const full = resolve(checkPath('path', path, 'a benchmark'));
  if (!existsSync(full)) throw new SkillSearchError('SOURCE_NOT_FOUND', `there is no file or folder ${path}`, { path });
  const files = await readBenchmarkFiles(full, { qrels, ask });
  const { name, corpus, judgements, judged } = files;
  if (ask !== undefined && !files.questions.some(isAskable)) throw unknownField(path, ask, files.fields);

  const graded = judged !== 'plain';
  const isServed = ({ id }: WrittenQuestion): boolean => hasRightAnswer(judgements.get(id), graded);
  const chosen = files.questions.filter(({ id }) => filter?.test(id) !== false);
  const known = chosen.filter(({ id }) => judgements.has(id));
  const askable = known.filter(isAskable);
  const questions = askable.filter(isServed);
  const unserved = askable.filter((question) => !isServed(question));
  const right = graded ? 'useful' : 'relevant';
  if (questions.length === 0) {
    if (filter !== undefined && files.questions.some((question) => isAskable(question) && isServed(question))) {
      const message = `no question with a ${right} document in ${path} has an id that fits ${filter}`;
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'filter' });
    }
    throw new SkillSearchError('INVALID_SOURCE', `${path} has no question with a ${right} document`, { path });
  }
  const texts = new Set(files.questions.map(({ id }) => id));
  const untold = [...judgements.keys()].filter((id) => !texts.has(id)).length;
  return {
    name,
    corpus,
    questions,
    gains: onlyRelevant(judgements),
    ...(graded ? { grades: judgements } : {}),
    ...(unserved.length > 0 ? { unserved } : {}),
    ...(judged === 'grades' ? { gain: 'exponential' as const } : {}),
    remarks: [
      ...remark(chosen.length - known.length, 'without a judgement left out'),
      ...remark(known.length - askable.length, `without a text ${describeValue(ask)} left out`),
      ...remark(unserved.length, `without a ${right} document: asked for confidence only`),
      ...remark(untold, 'with judgements but without a text left out'),
    ],
  };
}

function isAskable(question: WrittenQuestion): question is Question {
  return question.text !== undefined;
}

function hasRightAnswer(gains: Gains | undefined, graded: boolean): boolean {
  return gains !== undefined && [...gains.values()].some((gain) => (graded ? gain >= LEAST_USEFUL : gain > 0));
}

function unknownField(path: string, ask: string, fields: BenchmarkFiles['fields']): SkillSearchError {
  const nearest = nearestName(ask, fields);
  const advice = nearest === undefined ? `their texts are ${[...fields].join(', ')}` : `did you mean ${nearest}?`;
  const message = `no question of ${path} has a text ${describeValue(ask)}: ${advice}`;
  return new SkillSearchError('INVALID_OPTION', message, { parameter: 'ask' });
}

function remark(amount: number, what: string): string[] {
  return amount === 0 ? [] : [`${amount.toLocaleString('en')} question${amount === 1 ? '' : 's'} ${what}`];
}

function onlyRelevant(judgements: ReadonlyMap<string, Gains>): Map<string, Gains> {
  const kept = new Map<string, Gains>();
  for (const [question, gains] of judgements) {
    const relevant = new Map([...gains].filter(([, gain]) => gain > 0));
    if (relevant.size > 0) kept.set(question, relevant);
  }
  return kept;
}
