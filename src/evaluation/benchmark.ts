import { createReadStream, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  checkOptions,
  checkPath,
  checkText,
  describeValue,
  isObject,
  madeOnce,
  namesOf,
  nearestName,
  orUndefined,
} from '../core/index.js';
import { type ScoreParts, SkillSearchError } from '../index.js';

/** A question of a benchmark. */
export interface Question {
  readonly id: string;
  readonly text: string;
  /** What kind of question it is, where its line says so: the field `kind`, else `style`. */
  readonly kind?: string;
}

/** The gains of the judged documents of a question, by document id. Above 0 means relevant; all others have 0. */
export type Gains = ReadonlyMap<string, number>;

/**
 * How a gain counts in nDCG: `linear` as it is, `exponential` as 2^gain - 1 (C. Burges et al., Learning to rank using
 * gradient descent, ICML 2005).
 */
export const GAIN_FUNCTIONS = ['linear', 'exponential'] as const;
/** One of {@link GAIN_FUNCTIONS}. */
export type GainFunction = (typeof GAIN_FUNCTIONS)[number];

/**
 * The least gain of a useful document in a graded benchmark. Grades are 3 (made for the task), 2 (clearly useful), 1
 * (related, of little help) and 0 (not useful).
 */
export const LEAST_USEFUL = 2;

/** Questions, and which documents answer them. */
export interface Benchmark {
  /** Name of its folder, or of its file. */
  readonly name: string;
  /** The questions with a relevant document, if it is graded with a useful one, in the order of the file. */
  readonly questions: readonly Question[];
  /** The relevant documents by the id of a question, which is gains above 0; each question has an entry. */
  readonly gains: ReadonlyMap<string, Gains>;
  /**
   * All judged documents by the id of a question, those with a gain of 0 too. Only of a graded benchmark: there
   * `evaluate` also measures what is judged and what is useful.
   */
  readonly grades?: ReadonlyMap<string, Gains> | undefined;
  /** Questions that no judged document answers. `evaluate` asks them for confidence only. @default none */
  readonly unserved?: readonly Question[] | undefined;
  /** How gains count in nDCG where `evaluate` is not told. @default 'linear' */
  readonly gain?: GainFunction | undefined;
  /** Path of the benchmark's own documents; undefined if it has none. */
  readonly corpus: string | undefined;
  /** Notes for people: what was left out. */
  readonly remarks: readonly string[];
}

/** A document in a ranking. */
export interface RankedDocument {
  readonly id: string;
  /** Comparable within one ranking; never rises from one document to the next. */
  readonly score: number;
  /** The parts of the score, if asked for. */
  readonly explain?: ScoreParts;
}

/** The documents found for each question, best first, by the id of the question. */
export type Run = ReadonlyMap<string, readonly RankedDocument[]>;

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
  const { filter, ask } = options;
  checkText('ask', ask);
  const full = resolve(checkPath('path', path, 'a benchmark'));
  if (!existsSync(full)) throw new SkillSearchError('SOURCE_NOT_FOUND', `there is no file or folder ${path}`, { path });
  const files = await (statSync(full).isDirectory() ? readFolder : readSimple)(full, options);
  const { name, corpus, judgements, judged } = files;
  if (ask !== undefined && !files.questions.some(isAskable)) throw unknownField(path, ask, files.fields);

  const graded = judged !== 'plain';
  const isRight = (gain: number): boolean => (graded ? gain >= LEAST_USEFUL : gain > 0);
  const isServed = ({ id }: WrittenQuestion): boolean => [...(judgements.get(id)?.values() ?? [])].some(isRight);
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

/** A question of a file. */
interface WrittenQuestion {
  readonly id: string;
  /** Undefined if it lacks the field that is asked. */
  readonly text: string | undefined;
}

/** What the files of a benchmark say. */
interface BenchmarkFiles {
  /** Name of the folder or file. */
  readonly name: string;
  /** Path of the benchmark's own documents. */
  readonly corpus: string | undefined;
  /** In the order of the file. */
  readonly questions: readonly WrittenQuestion[];
  /** All gains, by question. A question that nobody judged has no entry. */
  readonly judgements: ReadonlyMap<string, Gains>;
  /** What the judgements are: `grades` by the file's own word, `graded` if their values look so, else `plain`. */
  readonly judged: 'grades' | 'graded' | 'plain';
  /** The names of all text fields of the questions. */
  readonly fields: ReadonlySet<string>;
}

const GRADES: ReadonlySet<unknown> = new Set([0, 1, 2, 3]);

type Judgements = Map<string, Map<string, number>>;

async function readFolder(folder: string, { qrels, ask }: ReadBenchmarkOptions): Promise<BenchmarkFiles> {
  const queries = present(folder, 'queries.jsonl');
  const path = qrels ?? present(folder, 'qrels.tsv') ?? present(folder, join('qrels', 'test.tsv'));
  if (queries === undefined) throw lacking(folder, 'queries.jsonl');
  if (path === undefined) throw lacking(folder, 'qrels.tsv, and qrels/test.tsv');
  const questions = new QuestionList(queries, ask);
  for await (const [row, line] of readObjects(queries)) {
    const id = readId(row['_id']);
    if (id === undefined || typeof row['text'] !== 'string') {
      throw faultIn(queries, line, 'expected a question: an object with `_id` and `text`');
    }
    questions.add(id, row['text'], row, line);
  }
  const judgements = await readJudgements(path);
  const judged = looksGraded(judgements) ? 'graded' : 'plain';
  return { name: basename(folder), corpus: present(folder, 'corpus.jsonl'), judgements, judged, ...questions.all() };
}

/** The path of a file of the folder, plain or gzip; undefined if there is none. */
function present(folder: string, name: string): string | undefined {
  return [name, `${name}.gz`].map((one) => join(folder, one)).find((path) => existsSync(path));
}

function lacking(folder: string, what: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${folder} is not a benchmark: it lacks ${what}`, { path: folder });
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
    gainsOf(judgements, question).set(document, value);
  }
  return judgements;
}

/**
 * Whether a folder's judgements are grades: all are 0, 1, 2 or 3, and some are 0 and some 3. Benchmarks with other
 * scales, or without what is useless, keep their meaning: all above 0 is right.
 */
function looksGraded(judgements: Judgements): boolean {
  const seen = new Set<number>();
  for (const gains of judgements.values()) for (const gain of gains.values()) seen.add(gain);
  return seen.has(0) && seen.has(3) && [...seen].every((gain) => GRADES.has(gain));
}

async function readSimple(path: string, { qrels, ask }: ReadBenchmarkOptions): Promise<BenchmarkFiles> {
  if (qrels !== undefined) {
    const message = `qrels can only be given for a benchmark folder, and ${path} is a file`;
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'qrels' });
  }
  const questions = new QuestionList(path, ask);
  const judgements: Judgements = new Map();
  let graded: boolean | undefined;
  for await (const [row, line] of readObjects(path)) {
    const { query, relevant, grades } = row;
    if (typeof query !== 'string' || !(Array.isArray(relevant) || isObject(grades))) {
      const either = '`relevant`, an array of ids, or `grades`, an object with a grade for each id';
      throw faultIn(path, line, `expected an object with \`query\`, a text, and ${either}`);
    }
    if (relevant !== undefined && grades !== undefined) {
      throw faultIn(path, line, 'expected `relevant` or `grades`, got both');
    }
    graded ??= grades !== undefined;
    if (graded !== (grades !== undefined)) {
      const [expected, other] = graded ? ['grades', 'relevant'] : ['relevant', 'grades'];
      throw faultIn(path, line, `expected \`${expected}\` as on the lines before, got \`${other}\``);
    }
    const id = readId(row['_id'] ?? row['id']) ?? String(line);
    questions.add(id, query, row, line);
    const fault = readGains(relevant, grades, () => gainsOf(judgements, id));
    if (fault !== undefined) throw faultIn(path, line, fault);
  }
  const judged = graded === true ? 'grades' : 'plain';
  return { name: basename(path), corpus: undefined, judgements, judged, ...questions.all() };
}

/**
 * The judgements of a row: a gain of 1 for each id that is relevant, or a grade for each. An empty list says that no
 * document is relevant; no grades at all say nothing: nobody has judged the question.
 *
 * @returns what is wrong with them
 */
function readGains(relevant: unknown, grades: unknown, gains: () => Map<string, number>): string | undefined {
  if (!isObject(grades)) {
    const ids = (relevant as unknown[]).map(readId);
    const of = gains();
    for (const id of ids) if (id !== undefined) of.set(id, 1);
    return ids.includes(undefined) ? 'expected `relevant` to be an array of ids' : undefined;
  }
  for (const [document, grade] of Object.entries(grades)) {
    if (readId(document) === undefined) return 'expected `grades` to have ids, got an empty one';
    if (!GRADES.has(grade)) {
      return `expected a grade of 0, 1, 2 or 3 for ${describeValue(document)}, got ${describeValue(grade)}`;
    }
    gains().set(document, grade as number);
  }
  return undefined;
}

/** Collects the questions of one file as they are read, each id once. */
class QuestionList {
  readonly #path: string;
  readonly #ask: string | undefined;
  readonly #texts = new Map<string, string | undefined>();
  readonly #kinds = new Map<string, string>();
  readonly #fields = new Set<string>();

  /** @param ask the field to ask instead of the usual one */
  constructor(path: string, ask: string | undefined) {
    this.#path = path;
    this.#ask = ask;
  }

  /** @param usual the text to ask where no other field is named */
  add(id: string, usual: string, row: Readonly<Record<string, unknown>>, line: number): void {
    if (this.#texts.has(id)) throw faultIn(this.#path, line, `the question ${JSON.stringify(id)} occurs twice`);
    for (const [field, value] of Object.entries(row)) if (typeof value === 'string') this.#fields.add(field);
    const field = this.#ask;
    const text = field === undefined ? usual : Object.hasOwn(row, field) ? (row[field] ?? '') : '';
    if (typeof text !== 'string') {
      throw faultIn(this.#path, line, `expected ${describeValue(field)} to be a text, got ${describeValue(text)}`);
    }
    const kind = row['kind'] ?? row['style'];
    if (typeof kind === 'string') this.#kinds.set(id, kind);
    this.#texts.set(id, field !== undefined && text.trim() === '' ? undefined : text);
  }

  all(): Pick<BenchmarkFiles, 'questions' | 'fields'> {
    const questions = Array.from(this.#texts, ([id, text]) => {
      const kind = this.#kinds.get(id);
      return { id, text, ...(kind !== undefined && { kind }) };
    });
    return { questions, fields: this.#fields };
  }
}

function gainsOf(judgements: Judgements, question: string): Map<string, number> {
  return madeOnce(judgements, question, () => new Map<string, number>());
}

/** A line of a file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a text file, without blank ones. A gzip file is unpacked; its first bytes show that it is one.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` if it cannot be read
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(decode(path));
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const facts = { path, cause };
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new SkillSearchError('SOURCE_NOT_FOUND', `there is no file ${path}`, facts);
    }
    throw new SkillSearchError('INVALID_SOURCE', `${path} cannot be read: ${message}`, facts);
  }
}

/** The JSON objects of a file, one a line, each with its line number. */
export async function* readObjects(path: string): AsyncGenerator<readonly [Readonly<Record<string, unknown>>, number]> {
  for await (const { number, text } of readLines(path)) {
    const value: unknown = orUndefined(() => JSON.parse(text));
    if (value === undefined) throw faultIn(path, number, 'expected a JSON object, got text that is not JSON');
    if (!isObject(value)) throw faultIn(path, number, 'expected a JSON object, got another value');
    yield [value, number];
  }
}

/** An id as text. Some files have numbers. */
export function readId(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** The error for a faulty line of a file. */
export function faultIn(path: string, line: number, message: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${path}:${line}: ${message}`, { path });
}

async function* decode(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const isPacked = await isGzip(path);
  const file = createReadStream(path);
  // A failure also ends the loop below, which reports it.
  const chunks = isPacked ? pipeline(file, createGunzip(), () => {}) : file;
  for await (const chunk of chunks) yield decoder.decode(chunk as Buffer, { stream: true });
  yield decoder.decode();
}

async function isGzip(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const text of lines) {
      number += 1;
      if (text.trim() !== '') yield { number, text };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}

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
      const expected = 'expected question, Q0, document, rank, score and a name, with white space between them';
      throw faultIn(path, number, expected);
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
  const message = `an id of a run must not be empty or have white space, got ${JSON.stringify(text)}`;
  throw new SkillSearchError('INVALID_SOURCE', message);
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

/** A question that a search accepts, of so many characters at most; undefined if nothing is left to ask. */
export function fitQuestion(text: string, most: number): string | undefined {
  const characters = Array.from(text.trim());
  const q = characters.length <= most ? text.trim() : cutBetweenWords(characters.slice(0, most + 1).join(''));
  return /[\p{L}\p{N}]/u.test(q) ? q : undefined;
}

/** Drops the last word; of a single word the last character. */
function cutBetweenWords(text: string): string {
  const cut = text.replace(/\s+\S*$/u, '');
  return cut === text || cut === '' ? Array.from(text).slice(0, -1).join('') : cut;
}
