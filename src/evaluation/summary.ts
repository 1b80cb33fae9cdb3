import { checkOptions, namesOf } from '../core/index.js';
import type { CopyMode } from '../index.js';
import type { GainFunction } from './benchmark.js';
import { extremesOf, type QuestionDifference } from './compare.js';
import type { Confidence, ConfidentShare, Reliability } from './confidence.js';
import type { Evaluation } from './evaluate.js';
import type { Figures } from './measure.js';

/** An evaluation as one object for JSON. Figures are rounded to six decimal places. */
export interface EvaluationSummary {
  /** Name of the benchmark. */
  readonly benchmark: string;
  /** Number of questions, without the unserved ones. */
  readonly queries: number;
  /** How gains counted in nDCG. Absent, as `copies`, if there are no grades and both are the defaults. */
  readonly gain?: GainFunction;
  /** What happened to copies. */
  readonly copies?: CopyMode;
  /** Means by the name of the mode or run. */
  readonly modes: Readonly<Record<string, Figures>>;
  /** The 95 % interval of each mean, by mode and figure. */
  readonly intervals: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  /** Shares of confident answers by mode; absent unless measured. */
  readonly confident?: Readonly<Record<string, Confidence>>;
  /** By mode; absent unless measured. */
  readonly reliability?: Readonly<Record<string, Reliability>>;
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
  const { benchmark, modes, comparisons, gain, copies } = evaluation;
  const isUsual = benchmark.grades === undefined && gain === 'linear' && copies === 'keep';
  const confident = modes.flatMap((one) => (one.confident === undefined ? [] : [[one.name, one.confident] as const]));
  const reliable = modes.flatMap((one) =>
    one.reliability === undefined ? [] : [[one.name, one.reliability] as const],
  );
  const { byQuery = false, extremes = 10 } = options;
  return {
    benchmark: benchmark.name,
    queries: benchmark.questions.length,
    ...(isUsual ? {} : { gain, copies }),
    modes: Object.fromEntries(modes.map(({ name, figures }) => [name, rounded(figures)])),
    intervals: Object.fromEntries(
      modes.map(({ name, intervals }) => [
        name,
        Object.fromEntries(
          Object.entries(intervals).map(([figure, [low, high]]) => [figure, [round(low), round(high)]]),
        ),
      ]),
    ),
    ...(confident.length === 0
      ? {}
      : {
          confident: Object.fromEntries(
            confident.map(([name, { served, unserved }]) => [
              name,
              { served: roundedShare(served), unserved: roundedShare(unserved) },
            ]),
          ),
        }),
    ...(reliable.length === 0
      ? {}
      : {
          reliability: Object.fromEntries(
            reliable.map(([name, { questions, score, useful, error }]) => [
              name,
              { questions, score: round(score), useful: round(useful), error: round(error) },
            ]),
          ),
        }),
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

function roundedShare({ questions, confident, share, interval: [low, high] }: ConfidentShare): ConfidentShare {
  return { questions, confident, share: round(share), interval: [round(low), round(high)] };
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
