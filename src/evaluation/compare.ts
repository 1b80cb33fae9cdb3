import type { Question } from './benchmark.js';
import { bootstrapIntervals, type Interval } from './bootstrap.js';
import type { Figures } from './measure.js';
import { randomisationTest } from './randomisation-test.js';

/** A question that two rankings answer differently well. */
export interface QuestionDifference extends Question {
  readonly figure: number;
  readonly baseline: number;
}

/** One ranking against another, question by question. */
export interface Comparison {
  readonly name: string;
  readonly baseline: string;
  /** The figure that is compared. */
  readonly metric: string;
  /** Mean of the figure minus that of the baseline. */
  readonly difference: number;
  /** 95 % of that mean. */
  readonly interval: Interval;
  /** How often chance alone makes a difference as large: see `randomisationTest`. */
  readonly p: number;
  /** Number of questions on which the figure is above, below and at the baseline's. */
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
  /** Differences of all questions, the largest first, ties in the order of the questions. */
  readonly differences: readonly QuestionDifference[];
}

/** What {@link compareFigures} sees of a ranking. */
interface Measured {
  readonly name: string;
  readonly byQuestion: ReadonlyMap<string, Figures>;
}

export interface CompareOptions {
  readonly questions: readonly Question[];
  readonly metric: string;
  readonly seed?: number | undefined;
}

/** Compares two rankings that were measured on the same questions. */
export function compareFigures(one: Measured, baseline: Measured, options: CompareOptions): Comparison {
  const { questions, metric, seed } = options;
  const figureOf = ({ byQuestion }: Measured, id: string): number => byQuestion.get(id)?.[metric] ?? 0;
  const all = questions.map(
    ({ id, text }): QuestionDifference => ({ id, text, figure: figureOf(one, id), baseline: figureOf(baseline, id) }),
  );
  const values = Float64Array.from(all, (each) => each.figure - each.baseline);
  const [interval] = bootstrapIntervals([values], { seed });
  return {
    name: one.name,
    baseline: baseline.name,
    metric,
    difference: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    interval: interval as Interval,
    p: randomisationTest(values, { seed }),
    won: values.filter((value) => value > 0).length,
    lost: values.filter((value) => value < 0).length,
    tied: values.filter((value) => value === 0).length,
    differences: all.toSorted((a, b) => b.figure - b.baseline - (a.figure - a.baseline)),
  };
}

/** The questions that were won most, and those that were lost most, the largest differences first. */
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
