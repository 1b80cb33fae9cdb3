import { basename, join, resolve } from 'node:path';
import { type Benchmark, type Question, readBenchmark } from '../../src/evaluation/index.js';
import { evenly } from '../ranking/judged-questions.js';
import type { JudgedSet } from '../ranking/judged-sets.js';
import { type Request, readRequests } from './requests.js';

/** What a set is asked of: its own documents, or a catalogue with changes. Paths. */
export type AskedOf = Pick<JudgedSet, 'database' | 'extra' | 'extraFiles' | 'without'> & {
  readonly documents?: string | undefined;
};

/** Questions that all engines are asked. */
export interface AskedSet {
  /** A single word: runs are stored under it. */
  readonly name: string;
  /** How a table calls it. */
  readonly title: string;
  readonly questions: readonly Question[];
  readonly of: AskedOf;
  /** What is right; undefined where questions are only asked. */
  readonly benchmark?: Benchmark;
}

/** The parts that a graded collection is measured in. */
const PARTS: readonly (readonly [name: string, title: string, textOf: (request: Request) => string | undefined])[] = [
  ['english', 'in English', (request) => (isRare(request) || !isEnglish(request) ? undefined : request.text)],
  ['not-english', 'not in English', (request) => (isEnglish(request) ? undefined : request.text)],
  ['put-in-english', 'the same, put in English', (request) => (isEnglish(request) ? undefined : request.english)],
  [
    'rare',
    'of rare matters, in English',
    (request) => (isRare(request) && isEnglish(request) ? request.text : undefined),
  ],
];

const isRare = ({ id }: Request): boolean => id.startsWith('rare-');
const isEnglish = ({ language = 'en' }: Request): boolean => language === 'en';

/** A file of questions, and those of them that are not in English once more in English. Nothing of it is measured. */
export async function questionsOfFile(path: string, database: string): Promise<AskedSet[]> {
  const requests = await readRequests(path);
  const name = basename(path).replace(/\.jsonl(\.gz)?$/, '');
  const inEnglish = requests.flatMap(({ id, english }) => (english === undefined ? [] : [{ id, text: english }]));
  const sets = [
    { name, title: name, questions: requests, of: { database } },
    { name: `${name}-put-in-english`, title: `${name}, put in English`, questions: inEnglish, of: { database } },
  ];
  return sets.filter(({ questions }) => questions.length > 0);
}

/** The parts of a folder of graded requests that have a request with an answer. */
export async function partsOfGraded(folder: string, database: string): Promise<AskedSet[]> {
  const benchmark = await readBenchmark(folder);
  if (benchmark.grades === undefined)
    throw new Error(`${folder} has no grades from 0 to 3: name it in a file of --sets`);
  const served = new Set(benchmark.questions.map(({ id }) => id));
  const requests = await readRequests(join(folder, 'queries.jsonl'));
  return PARTS.flatMap(([part, title, textOf]) => {
    const questions = requests.flatMap((request): Question[] => {
      const text = served.has(request.id) ? textOf(request) : undefined;
      return text === undefined ? [] : [{ id: request.id, text }];
    });
    if (questions.length === 0) return [];
    const name = `${benchmark.name}-${part}`;
    return [{ name, title, questions, of: { database }, benchmark: { ...benchmark, name, questions } }];
  });
}

/** One of the given sets. */
export async function givenSet({ name, folder, filter, most, ...of }: JudgedSet): Promise<AskedSet> {
  const benchmark = await readBenchmark(folder, { filter });
  const questions = evenly(benchmark.questions, most);
  const documents = of.database === undefined ? benchmark.corpus : undefined;
  if (documents === undefined && of.database === undefined) throw new Error(`${name} has no documents of its own`);
  const { database, extra, extraFiles, without } = of;
  return {
    name: name.replace(/\W+/g, '-'),
    title: name,
    questions,
    of: documents === undefined ? { database: resolve(database as string), extra, extraFiles, without } : { documents },
    benchmark: { ...benchmark, questions },
  };
}
