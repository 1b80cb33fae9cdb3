import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { checkOptions, checkPath, namesOf } from '../check-arguments.js';
import { SkillSearchError } from '../index.js';
import type { Benchmark, Gains, Question } from './benchmark.js';
import { faultIn, readId, readLines, readObjects } from './read-lines.js';

/** Options of {@link readBenchmark}. */
export interface ReadBenchmarkOptions {
  /** Path of other judgements for the questions of a folder. @default the folder's own */
  readonly qrels?: string | undefined;
  /** Keeps only questions whose id matches. @default all questions */
  readonly filter?: RegExp | undefined;
}

const OPTIONS = namesOf<ReadBenchmarkOptions>({ qrels: true, filter: true });

type Judgements = Map<string, Map<string, number>>;

/**
 * Reads a benchmark. Questions without a relevant document are left out, because nothing could be right for them.
 *
 * A benchmark is a folder in the BEIR layout: `queries.jsonl` with `_id` and `text`, `qrels.tsv` or `qrels/test.tsv`
 * with question, document and gain, and optionally `corpus.jsonl` with the documents; each may be gzip with `.gz`. Or
 * it is a JSON Lines file of questions with the ids that answer them: `{"query": "…", "relevant": ["…"]}`.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND` if there is no such file or folder; `INVALID_SOURCE` for a faulty one,
 *   with file and line; `INVALID_OPTION` if `filter` matches nothing, or for `qrels` with a file
 * @example
 * import { readBenchmark } from 'skill-discovery/evaluation';
 *
 * const { questions, remarks } = await readBenchmark('scifact');
 * console.log(questions.length, remarks);
 */
export async function readBenchmark(path: string, options: ReadBenchmarkOptions = {}): Promise<Benchmark> {
  checkOptions(options, OPTIONS);
  const full = resolve(checkPath('path', path, 'a benchmark'));
  if (!existsSync(full)) throw new SkillSearchError('SOURCE_NOT_FOUND', `there is no file or folder ${path}`, { path });
  const read = statSync(full).isDirectory() ? await readFolder(full, options) : await readSimple(full, options);
  const { name, corpus, all, gains } = read;

  const chosen = all.filter(({ id }) => options.filter?.test(id) !== false);
  const questions = chosen.filter(({ id }) => gains.has(id));
  if (questions.length === 0) {
    if (options.filter !== undefined && all.some(({ id }) => gains.has(id))) {
      const message = `no question with a relevant document in ${path} has an id that fits ${options.filter}`;
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'filter' });
    }
    throw new SkillSearchError('INVALID_SOURCE', `${path} has no question with a relevant document`, { path });
  }
  const left = chosen.length - questions.length;
  const texts = new Set(all.map(({ id }) => id));
  const without = [...gains.keys()].filter((id) => !texts.has(id)).length;
  const remarks = [
    ...(left === 0 ? [] : [`${count(left, 'question')} without a relevant document left out`]),
    ...(without === 0 ? [] : [`${count(without, 'question')} with judgements but without a text left out`]),
  ];
  return { name, corpus, questions, gains, remarks };
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}

interface Read {
  readonly name: string;
  readonly corpus: string | undefined;
  readonly all: readonly Question[];
  /** Only questions with a relevant document, and only gains above 0. */
  readonly gains: ReadonlyMap<string, Gains>;
}

async function readFolder(folder: string, { qrels }: ReadBenchmarkOptions): Promise<Read> {
  const queries = present(folder, 'queries.jsonl');
  const judgements = qrels ?? present(folder, 'qrels.tsv') ?? present(folder, join('qrels', 'test.tsv'));
  if (queries === undefined) throw lacking(folder, 'queries.jsonl');
  if (judgements === undefined) throw lacking(folder, 'qrels.tsv, and qrels/test.tsv');
  return {
    name: basename(folder),
    corpus: present(folder, 'corpus.jsonl'),
    all: await readQuestions(queries),
    gains: onlyRelevant(await readJudgements(judgements)),
  };
}

/** The path of a file of the folder, plain or gzip; undefined if there is none. */
function present(folder: string, name: string): string | undefined {
  return [name, `${name}.gz`].map((one) => join(folder, one)).find((path) => existsSync(path));
}

function lacking(folder: string, what: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${folder} is not a benchmark: it lacks ${what}`, { path: folder });
}

async function readQuestions(path: string): Promise<Question[]> {
  const questions = new Map<string, Question>();
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id']);
    const { text } = row;
    if (id === undefined || typeof text !== 'string') {
      throw faultIn(path, line, 'expected a question: an object with `_id` and `text`');
    }
    if (questions.has(id)) throw faultIn(path, line, `the question ${JSON.stringify(id)} occurs twice`);
    questions.set(id, { id, text });
  }
  return [...questions.values()];
}

/** Lines of question, document and gain, separated by tabs. The first line may be a header. */
async function readJudgements(path: string): Promise<Judgements> {
  const judgements: Judgements = new Map();
  let first = true;
  for await (const { number, text } of readLines(path)) {
    const header = first;
    first = false;
    const fields = text.replace(/\r$/, '').split('\t');
    const [question, document, gain] = fields;
    const value = gain === undefined || gain.trim() === '' ? Number.NaN : Number(gain);
    if (header && fields.length === 3 && Number.isNaN(value)) continue;
    if (fields.length !== 3 || !question || !document || !Number.isFinite(value)) {
      throw faultIn(path, number, 'expected question, document and a number, with tabs between them');
    }
    judge(judgements, question, document, value);
  }
  return judgements;
}

async function readSimple(path: string, { qrels }: ReadBenchmarkOptions): Promise<Read> {
  if (qrels !== undefined) {
    const message = `qrels can only be given for a benchmark folder, and ${path} is a file`;
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'qrels' });
  }
  const all: Question[] = [];
  const judgements: Judgements = new Map();
  for await (const [row, line] of readObjects(path)) {
    const { query, relevant } = row;
    if (typeof query !== 'string' || !Array.isArray(relevant)) {
      throw faultIn(path, line, 'expected an object with `query`, a text, and `relevant`, an array of ids');
    }
    const id = readId(row['_id'] ?? row['id']) ?? String(line);
    if (all.some((question) => question.id === id))
      throw faultIn(path, line, `the id ${JSON.stringify(id)} occurs twice`);
    all.push({ id, text: query });
    for (const document of relevant.map(readId)) {
      if (document === undefined) throw faultIn(path, line, 'expected `relevant` to be an array of ids');
      judge(judgements, id, document, 1);
    }
  }
  return { name: basename(path), corpus: undefined, all, gains: onlyRelevant(judgements) };
}

function judge(judgements: Judgements, question: string, document: string, gain: number): void {
  const gains = judgements.get(question) ?? new Map<string, number>();
  judgements.set(question, gains.set(document, gain));
}

function onlyRelevant(judgements: Judgements): Map<string, Gains> {
  const kept = new Map<string, Gains>();
  for (const [question, gains] of judgements) {
    const relevant = new Map([...gains].filter(([, gain]) => gain > 0));
    if (relevant.size > 0) kept.set(question, relevant);
  }
  return kept;
}
