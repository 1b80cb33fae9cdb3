import { checkOptions, namesOf } from '../core/index.js';
import type { Question } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import type { Figures } from './measure.js';
import { randomisationTest } from './randomisation-test.js';

/** A question, and the figures of two rankings for it. */
export interface QuestionDifference extends Question {
  /** Of the ranking. */
  readonly figure: number;
  /** Of the baseline. */
  readonly baseline: number;
}

/** One ranking compared with another, question by question. */
export interface Comparison {
  /** Name of the ranking. */
  readonly name: string;
  /** Name of the ranking that it is compared with. */
  readonly baseline: string;
  /** Name of the compared figure, such as `ndcg@10`. */
  readonly metric: string;
  /** Mean of the figure minus the mean of the baseline. */
  readonly difference: number;
  /** 95 % interval of the difference. */
  readonly interval: Interval;
  /** How likely chance alone makes a difference as large, 0 to 1; see `randomisationTest`. */
  readonly p: number;
  /** Number of questions with a higher figure than the baseline's. */
  readonly won: number;
  /** Number of questions with a lower figure. */
  readonly lost: number;
  /** Number of questions with the same figure. */
  readonly tied: number;
  /** All questions, the largest difference first, ties in the order of the questions. */
  readonly differences: readonly QuestionDifference[];
}

/** What {@link compareFigures} needs of a `ModeEvaluation`. */
interface Measured {
  readonly name: string;
  readonly byQuestion: ReadonlyMap<string, Figures>;
}

/** Options of {@link compareFigures}. */
export interface CompareOptions {
  readonly questions: readonly Question[];
  /** Name of the figure to compare, such as `ndcg@10`. A question without it counts as 0. */
  readonly metric: string;
  /** Seed of the random draws for interval and test. @default 1 */
  readonly seed?: number | undefined;
}

const OPTIONS = namesOf<CompareOptions>({ questions: true, metric: true, seed: true });

/**
 * Compares two rankings that were measured on the same questions.
 *
 * @example
 * import { compareFigures } from 'skill-discovery/evaluation';
 *
 * const questions = [{ id: 'q1', text: 'release notes' }];
 * const bm25 = { name: 'bm25', byQuestion: new Map([['q1', { 'ndcg@10': 0.5 }]]) };
 * const hybrid = { name: 'hybrid', byQuestion: new Map([['q1', { 'ndcg@10': 1 }]]) };
 * console.log(compareFigures(hybrid, bm25, { questions, metric: 'ndcg@10' }).difference); // 0.5
 */
export function compareFigures(one: Measured, baseline: Measured, options: CompareOptions): Comparison {
  checkOptions(options, OPTIONS);
  const { questions, metric, seed } = options;
  const figureOf = ({ byQuestion }: Measured, id: string): number => byQuestion.get(id)?.[metric] ?? 0;
  const all = questions.map(
    ({ id, text }): QuestionDifference => ({ id, text, figure: figureOf(one, id), baseline: figureOf(baseline, id) }),
  );
  const values = Float64Array.from(all, (each) => each.figure - each.baseline);
  const [interval = [0, 0]] = bootstrapIntervals([values], { seed });
  return {
    name: one.name,
    baseline: baseline.name,
    metric,
    difference: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    interval,
    p: randomisationTest(values, { seed }),
    won: values.filter((value) => value > 0).length,
    lost: values.filter((value) => value < 0).length,
    tied: values.filter((value) => value === 0).length,
    differences: all.toSorted((a, b) => b.figure - b.baseline - (a.figure - a.baseline)),
  };
}

/** The `count` questions that were won most and lost most, the largest differences first. */
export function extremesOf(
  { differences }: Comparison,
  count: number,
): { won: QuestionDifference[]; lost: QuestionDifference[] } {
  return {
    won: differences.filter((one) => one.figure > one.baseline).slice(0, count),
    lost: differences
      .filter((one) => one.figure < one.baseline)
      .slice(-count)
      .reverse(),
  };
}
