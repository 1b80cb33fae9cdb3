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
}

/** The times of a class of questions in one order. */
export interface ClassTimes {
  readonly name: string;
  readonly sortBy: SortOrder;
  /** Milliseconds, by question; fewer than the questions where the time for the class was over. */
  readonly times: readonly number[];
  /** Beside the times, if wanted. */
  readonly answers: readonly Answer[] | undefined;
}

export interface RoundOptions {
  readonly classes: readonly QuestionClass[];
  readonly orders: readonly SortOrder[];
  /** Whether answers are wanted. */
  readonly answers: boolean;
  /** Seconds a class may take in one order, ten questions beside. */
  readonly secondsAClass: number;
}

const WARM_UP_QUESTIONS = 10;
const LEAST_QUESTIONS = 10;

/** Asks every class once in each order. */
export function measureRound(engine: Engine, { classes, orders, answers, secondsAClass }: RoundOptions): ClassTimes[] {
  const rows: ClassTimes[] = [];
  for (const { name, questions, category } of classes) {
    for (const sortBy of orders) {
      const started = performance.now();
      const isOver = (): boolean => performance.now() - started > secondsAClass * 1000;
      for (const q of questions.slice(0, WARM_UP_QUESTIONS)) if (!isOver()) engine.ask(q, sortBy, category);
      const [times, given]: [number[], Answer[]] = [[], []];
      for (const q of questions) {
        if (times.length >= LEAST_QUESTIONS && isOver()) break;
        const before = performance.now();
        const answer = engine.ask(q, sortBy, category);
        if (answer === undefined) break;
        times.push(performance.now() - before);
        given.push(answer);
      }
      rows.push({ name, sortBy, times, answers: answers ? given : undefined });
    }
  }
  return rows;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export function spreadOf(times: readonly number[]): Spread {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
