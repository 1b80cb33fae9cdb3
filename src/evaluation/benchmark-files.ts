import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeValue, isObject } from '../core/index.js';
import { SkillSearchError } from '../index.js';
import type { Gains } from './benchmark.js';
import { faultIn, readId, readLines, readObjects } from './read-lines.js';

/** A question of a file. */
export interface WrittenQuestion {
  readonly id: string;
  /** Undefined if it lacks the field that is asked. */
  readonly text: string | undefined;
}

/** What the files of a benchmark say. */
export interface BenchmarkFiles {
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

/** Where to read from. */
export interface BenchmarkFilesOptions {
  /** Path of other judgements for the questions of a folder. */
  readonly qrels: string | undefined;
  /** The text field of a question to ask instead of its usual one. */
  readonly ask: string | undefined;
}

const GRADES: ReadonlySet<unknown> = new Set([0, 1, 2, 3]);

type Judgements = Map<string, Map<string, number>>;

/**
 * Reads a folder in the BEIR layout, or a JSON Lines file of questions.
 *
 * @throws {SkillSearchError} `INVALID_SOURCE`, with file and line; `INVALID_OPTION` for `qrels` with a file
 */
export function readBenchmarkFiles(path: string, options: BenchmarkFilesOptions): Promise<BenchmarkFiles> {
  return statSync(path).isDirectory() ? readFolder(path, options) : readSimple(path, options);
}

async function readFolder(folder: string, { qrels, ask }: BenchmarkFilesOptions): Promise<BenchmarkFiles> {
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

async function readSimple(path: string, { qrels, ask }: BenchmarkFilesOptions): Promise<BenchmarkFiles> {
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
    if (isObject(grades)) readGrades(grades, judgements, id, (message) => faultIn(path, line, message));
    else readRelevant(relevant as unknown[], gainsOf(judgements, id), (message) => faultIn(path, line, message));
  }
  const judged = graded === true ? 'grades' : 'plain';
  return { name: basename(path), corpus: undefined, judgements, judged, ...questions.all() };
}

type Fault = (message: string) => SkillSearchError;

/** An empty list says that no document is relevant. */
function readRelevant(relevant: readonly unknown[], gains: Map<string, number>, fault: Fault): void {
  for (const document of relevant.map(readId)) {
    if (document === undefined) throw fault('expected `relevant` to be an array of ids');
    gains.set(document, 1);
  }
}

/** No grades at all say nothing: nobody has judged the question. */
function readGrades(grades: object, judgements: Judgements, question: string, fault: Fault): void {
  for (const [document, grade] of Object.entries(grades)) {
    if (readId(document) === undefined) throw fault('expected `grades` to have ids, got an empty one');
    if (!GRADES.has(grade)) {
      throw fault(`expected a grade of 0, 1, 2 or 3 for ${describeValue(document)}, got ${describeValue(grade)}`);
    }
    gainsOf(judgements, question).set(document, grade as number);
  }
}

/** The questions of one file as they are read, each id once. */
class QuestionList {
  readonly #path: string;
  readonly #ask: string | undefined;
  readonly #texts = new Map<string, string | undefined>();
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
    this.#texts.set(id, this.#ask === undefined ? usual : this.#otherText(row, this.#ask, line));
  }

  all(): Pick<BenchmarkFiles, 'questions' | 'fields'> {
    return { questions: Array.from(this.#texts, ([id, text]) => ({ id, text })), fields: this.#fields };
  }

  #otherText(row: Readonly<Record<string, unknown>>, field: string, line: number): string | undefined {
    const text = Object.hasOwn(row, field) ? (row[field] ?? '') : '';
    if (typeof text !== 'string') {
      throw faultIn(this.#path, line, `expected ${describeValue(field)} to be a text, got ${describeValue(text)}`);
    }
    return text.trim() === '' ? undefined : text;
  }
}

function gainsOf(judgements: Judgements, question: string): Map<string, number> {
  const gains = judgements.get(question) ?? new Map<string, number>();
  judgements.set(question, gains);
  return gains;
}
