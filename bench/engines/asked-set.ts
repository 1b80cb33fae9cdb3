import { basename, dirname, join, resolve } from 'node:path';
import { type Benchmark, type Question, readBenchmark } from '../../src/evaluation/index.js';
import { evenly } from '../ranking/judged-questions.js';
import type { JudgedSet } from '../ranking/judged-sets.js';
import { type Request, readRequests } from './requests.js';

/** What a set is asked of: its own documents, or a catalogue with changes. Absolute paths. */
export type AskedOf = Pick<JudgedSet, 'database' | 'extra' | 'extraFiles' | 'without'> & {
  readonly documents?: string | undefined;
};

/** Some questions of a set, which have a table or a line of their own. */
interface MeasuredPart {
  readonly title: string;
  readonly benchmark: Benchmark;
}

/** Questions that all engines are asked. */
export interface AskedSet {
  /** A single word: runs are stored under it. */
  readonly name: string;
  readonly questions: readonly Question[];
  readonly of: AskedOf;
  /** None where questions are only asked. */
  readonly parts: readonly MeasuredPart[];
  /** Whether copies are shown as one by a search that knows them. */
  readonly collapse: boolean;
}

/** A file of questions, and those of them that are not in English once more in English. Nothing of it is measured. */
export async function questionsOfFile(path: string, database: string): Promise<AskedSet[]> {
  return [...askedTwice(nameOf(path), await readRequests(path), database)];
}

/** A folder of graded requests: all as they are, and those that are not in English once more in English. */
export async function gradedSets(folder: string, database: string): Promise<AskedSet[]> {
  const benchmark = await readBenchmark(folder);
  if (benchmark.grades === undefined)
    throw new Error(`${folder} has no grades from 0 to 3: list it in a file of --sets`);
  const requests = await readRequests(join(folder, 'queries.jsonl'));
  const served = new Set(benchmark.questions.map(({ id }) => id));
  const partOf = (title: string, isOfPart: (request: Request) => boolean): MeasuredPart[] => {
    const questions = requests.filter((request) => served.has(request.id) && isOfPart(request));
    return questions.length === 0 ? [] : [{ title, benchmark: { ...benchmark, questions } }];
  };
  const asWritten = [
    ...partOf('in English', (request) => isEnglish(request) && !isRare(request)),
    ...partOf('of rare matters, in English', (request) => isEnglish(request) && isRare(request)),
    ...partOf('not in English', (request) => !isEnglish(request)),
  ];
  const inEnglish = partOf('not in English, put in English', ({ english }) => english !== undefined);
  const [first, second] = askedTwice(benchmark.name, requests, database);
  return [{ ...first, parts: asWritten }, ...(second === undefined ? [] : [{ ...second, parts: inEnglish }])];
}

/** One of the given sets. */
export async function givenSet({ name, folder, filter, most, ...of }: JudgedSet): Promise<AskedSet> {
  const all = await readBenchmark(folder, { filter });
  const benchmark = { ...all, questions: evenly(all.questions, most) };
  const { database, extra, extraFiles, without } = of;
  if (database === undefined && benchmark.corpus === undefined) throw new Error(`${name} has no documents of its own`);
  return {
    name: name.replace(/\W+/g, '-'),
    questions: benchmark.questions,
    of:
      database === undefined
        ? { documents: benchmark.corpus }
        : { database: resolve(database), extra, extraFiles, without },
    parts: [{ title: name, benchmark }],
    collapse: false,
  };
}

const isRare = ({ id }: Request): boolean => id.startsWith('rare-');
const isEnglish = ({ language = 'en' }: Request): boolean => language === 'en';

function askedTwice(name: string, requests: readonly Request[], database: string): readonly [AskedSet, ...AskedSet[]] {
  const inEnglish = requests.flatMap(({ id, english }) => (english === undefined ? [] : [{ id, text: english }]));
  const asked = { of: { database: resolve(database) }, parts: [], collapse: true };
  const second = { ...asked, name: `${name}-put-in-english`, questions: inEnglish };
  return [{ ...asked, name, questions: requests }, ...(inEnglish.length === 0 ? [] : [second])];
}

/** In the layout of benchmarks all files have the same name: there it is the folder's. */
function nameOf(path: string): string {
  const name = basename(path).replace(/\.jsonl(\.gz)?$/, '');
  return name === 'queries' ? basename(dirname(resolve(path))) : name;
}
