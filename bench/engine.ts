import type { SortOrder } from '../src/index.js';
import type { QuestionClass } from './questions.js';
import { quantile } from './statistics.js';

/** Skills a page. */
export const PAGE = 20;

/** What came of one question. */
export interface Answer {
  /** Ids of the skills of the first page, in its order. */
  readonly ids: readonly string[];
  /** Of all pages. */
  readonly total: number;
  readonly step?: string | undefined;
}

/** What is timed: a question in, the records of its first page out. */
export interface Engine {
  /** Undefined where the engine cannot answer such a question at all. */
  ask(q: string, sortBy: SortOrder, category: string | undefined): Answer | undefined;
  /**
   * The same with what explains each hit read as well: matches and snippet. Absent where an engine has no such thing.
   */
  explain?(q: string, sortBy: SortOrder, category: string | undefined): void;
}

/** The times of a class of questions in one order: milliseconds, by question. */
export interface ClassTimes {
  readonly name: string;
  readonly sortBy: SortOrder;
  /** Asked for the first time, after other questions; fewer than the class has where its time was over. */
  readonly first: readonly number[];
  /** The same questions asked again. */
  readonly again: readonly number[];
  /** Asked once more with what explains them; empty where the engine has nothing of the kind. */
  readonly explained: readonly number[];
  /** Of the first time. */
  readonly answers: readonly Answer[];
}

export interface ClassRequest {
  readonly questionClass: QuestionClass;
  readonly orders: readonly SortOrder[];
  /** Other questions, asked before; see `otherQuestions`. */
  readonly others: readonly string[];
  /** Seconds that the other questions may take. */
  readonly secondsOfOthers: number;
  /** Seconds a class may take in one order and one pass, ten questions beside. */
  readonly secondsAClass: number;
}

const LEAST_QUESTIONS = 10;

/** Asks a class in each order: other questions first, then those of the class, then the same again. */
export async function measureClass(
  open: () => Promise<Engine> | Engine,
  { questionClass, orders, others, secondsOfOthers, secondsAClass }: ClassRequest,
): Promise<ClassTimes[]> {
  const { name, questions, category } = questionClass;
  const rows: ClassTimes[] = [];
  for (const sortBy of orders) {
    const engine = await open();
    timesOf(others, secondsOfOthers, (q) => engine.ask(q, sortBy, category));
    const answers: Answer[] = [];
    const first = timesOf(questions, secondsAClass, (q) => engine.ask(q, sortBy, category), answers);
    const asked = questions.slice(0, first.length);
    const again = timesOf(asked, secondsAClass, (q) => engine.ask(q, sortBy, category));
    const { explain } = engine;
    const explained =
      explain === undefined
        ? []
        : timesOf(asked, secondsAClass, (q) => {
            explain(q, sortBy, category);
            return true;
          });
    rows.push({ name, sortBy, first, again, explained, answers });
  }
  return rows;
}

/** Milliseconds of each question until the time is over or one cannot be asked. */
function timesOf<T>(
  questions: readonly string[],
  seconds: number,
  ask: (q: string) => T | undefined,
  answers: T[] = [],
): number[] {
  const started = performance.now();
  const times: number[] = [];
  for (const q of questions) {
    const before = performance.now();
    if (times.length >= LEAST_QUESTIONS && before - started > seconds * 1000) break;
    const answer = ask(q);
    if (answer === undefined) break;
    times.push(performance.now() - before);
    answers.push(answer);
  }
  return times;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export function spreadOf(times: readonly number[]): Spread {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
