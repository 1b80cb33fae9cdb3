import { extremesOf, type QuestionDifference } from './compare.js';
import type { Evaluation } from './evaluate.js';
import type { Figures } from './measure.js';

/** An evaluation as one object for JSON; figures are rounded to six digits. */
export interface EvaluationSummary {
  readonly benchmark: string;
  /** Number of questions. */
  readonly queries: number;
  /** Means by mode. */
  readonly modes: Readonly<Record<string, Figures>>;
  /** 95 % of each mean. */
  readonly intervals: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  readonly comparisons?: readonly ComparisonSummary[];
  /** By mode and question. */
  readonly byQuery?: Readonly<Record<string, Readonly<Record<string, Figures>>>>;
}

export interface ComparisonSummary {
  readonly mode: string;
  readonly baseline: string;
  readonly metric: string;
  readonly difference: number;
  readonly interval: readonly [number, number];
  readonly p: number;
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
  readonly wonMost: readonly QuestionDifference[];
  readonly lostMost: readonly QuestionDifference[];
}

export interface SummaryOptions {
  /** Whether the figures of each question are in it. @default false */
  readonly byQuery?: boolean | undefined;
  /** How many of the questions won and lost most are in it. @default 10 */
  readonly extremes?: number | undefined;
}

/** What came out of an evaluation, in short. */
export function summarise(evaluation: Evaluation, options: SummaryOptions = {}): EvaluationSummary {
  const { benchmark, modes, comparisons } = evaluation;
  const { byQuery = false, extremes = 10 } = options;
  return {
    benchmark: benchmark.name,
    queries: benchmark.questions.length,
    modes: Object.fromEntries(modes.map(({ name, figures }) => [name, rounded(figures)])),
    intervals: Object.fromEntries(
      modes.map(({ name, intervals }) => [
        name,
        Object.fromEntries(
          Object.entries(intervals).map(([figure, [low, high]]) => [figure, [round(low), round(high)]]),
        ),
      ]),
    ),
    ...(comparisons.length === 0
      ? {}
      : {
          comparisons: comparisons.map((comparison) => {
            const { name, baseline, metric, difference, interval, p, won, lost, tied } = comparison;
            const most = extremesOf(comparison, extremes);
            return {
              mode: name,
              baseline,
              metric,
              difference: round(difference),
              interval: [round(interval[0]), round(interval[1])] as const,
              p: round(p),
              won,
              lost,
              tied,
              wonMost: most.won,
              lostMost: most.lost,
            };
          }),
        }),
    ...(byQuery
      ? {
          byQuery: Object.fromEntries(
            modes.map(({ name, byQuestion }) => [
              name,
              Object.fromEntries(Array.from(byQuestion, ([id, figures]) => [id, rounded(figures)])),
            ]),
          ),
        }
      : {}),
  };
}

function rounded(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, round(value)]));
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
