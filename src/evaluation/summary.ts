import { checkOptions, namesOf } from '../check-arguments.js';
import { extremesOf, type QuestionDifference } from './compare.js';
import type { Evaluation } from './evaluate.js';
import type { Figures } from './measure.js';

/** An evaluation as one object for JSON. Figures are rounded to six decimal places. */
export interface EvaluationSummary {
  /** Name of the benchmark. */
  readonly benchmark: string;
  /** Number of questions. */
  readonly queries: number;
  /** Means by the name of the mode or run. */
  readonly modes: Readonly<Record<string, Figures>>;
  /** The 95 % interval of each mean, by mode and figure. */
  readonly intervals: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  /** Absent without a baseline. */
  readonly comparisons?: readonly ComparisonSummary[];
  /** Figures by mode and question; only with the option `byQuery`. */
  readonly byQuery?: Readonly<Record<string, Readonly<Record<string, Figures>>>>;
}

/** A `Comparison` with the questions that differ most. */
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

/** Options of {@link summarise}. */
export interface SummaryOptions {
  /** Whether to include the figures of each question. @default false */
  readonly byQuery?: boolean | undefined;
  /** How many of the questions won and lost most to include, 0 or more. @default 10 */
  readonly extremes?: number | undefined;
}

const OPTIONS = namesOf<SummaryOptions>({ byQuery: true, extremes: true });

/**
 * The figures of an evaluation, without runs and single questions.
 *
 * @example
 * import { evaluate, readBenchmark, readRun, summarise } from 'skill-discovery/evaluation';
 *
 * const benchmark = await readBenchmark('scifact');
 * const evaluation = await evaluate({ benchmark, runs: [{ name: 'mine', run: await readRun('mine.run') }] });
 * console.log(JSON.stringify(summarise(evaluation)));
 */
export function summarise(evaluation: Evaluation, options: SummaryOptions = {}): EvaluationSummary {
  checkOptions(options, OPTIONS);
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
