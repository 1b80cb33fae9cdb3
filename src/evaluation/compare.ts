import { checkOptions, namesOf } from '../core/index.js';
import type { Question } from './benchmark.js';
import type { Figures } from './measures.js';

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

const COMPARE_OPTIONS = namesOf<CompareOptions>({ questions: true, metric: true, seed: true });

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
  checkOptions(options, COMPARE_OPTIONS);
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

/** The two ends of an interval. */
export type Interval = readonly [low: number, high: number];

/** Options of {@link bootstrapIntervals}. */
export interface BootstrapOptions {
  /** Number of resamples, 1 or more. @default 2000 */
  readonly samples?: number | undefined;
  /** Seed of the random draws. @default 1 */
  readonly seed?: number | undefined;
}

const BOOTSTRAP_OPTIONS = namesOf<BootstrapOptions>({ samples: true, seed: true });

/** Share of the resampled means that lies outside of the interval on each side. */
const TAIL = 0.025;

/**
 * 95 % intervals of means by the percentile bootstrap (B. Efron, 1979): the questions are drawn with replacement many
 * times, and the interval holds the middle 95 % of the means.
 *
 * @param columns one array for each figure, with its value for each question; all figures use the same draws
 * @returns one interval for each figure
 * @example
 * import { bootstrapIntervals } from 'skill-discovery/evaluation';
 *
 * const [interval] = bootstrapIntervals([Float64Array.of(1, 0, 1, 1, 0.5)]);
 * console.log(interval); // [ 0.3, 1 ]
 */
export function bootstrapIntervals(columns: readonly Float64Array[], options: BootstrapOptions = {}): Interval[] {
  checkOptions(options, BOOTSTRAP_OPTIONS);
  const { samples = 2000, seed = 1 } = options;
  const size = columns[0]?.length ?? 0;
  const random = randomNumbers(seed);
  const draw = new Uint32Array(size);
  const means = columns.map(() => new Float64Array(samples));
  for (let sample = 0; sample < samples; sample++) {
    for (let i = 0; i < size; i++) draw[i] = Math.floor(random() * size);
    for (const [c, column] of columns.entries()) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += column[draw[i]!]!;
      means[c]![sample] = sum / size;
    }
  }
  return means.map((drawn) => {
    drawn.sort();
    return [quantile(drawn, TAIL), quantile(drawn, 1 - TAIL)];
  });
}

/** Interpolates linearly between two neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}

/** Options of {@link randomisationTest}. */
export interface RandomisationOptions {
  /** Number of assignments of signs to draw if there are more, 1 or more. @default 10000 */
  readonly samples?: number | undefined;
  /** Seed of the random draws. @default 1 */
  readonly seed?: number | undefined;
}

const RANDOMISATION_OPTIONS = namesOf<RandomisationOptions>({ samples: true, seed: true });

/** Relative tolerance: sums of the same numbers in another order differ by rounding. */
const ROUNDING = 1e-9;

/**
 * Fisher's paired randomisation test, two-sided (M. Smucker et al., A comparison of statistical significance tests for
 * information retrieval evaluation, CIKM 2007). If two rankings are equally good, each difference could as well have
 * the other sign. The p-value is how often the mean is at least as far from 0 with random signs.
 *
 * With at most `samples` assignments of signs all are tried, and the p-value is exact. Otherwise `samples` are drawn,
 * and the observed one is counted among them, so the p-value is never 0.
 *
 * @param differences one for each question
 * @returns the p-value, 0 to 1; 1 if nothing differs
 * @example
 * import { randomisationTest } from 'skill-discovery/evaluation';
 *
 * console.log(randomisationTest([0.2, 0.1, 0.3])); // 0.25: two of the eight assignments
 */
export function randomisationTest(differences: ArrayLike<number>, options: RandomisationOptions = {}): number {
  checkOptions(options, RANDOMISATION_OPTIONS);
  const { samples = 10_000, seed = 1 } = options;
  // A difference of 0 is the same with either sign.
  const sizes = Array.from(differences).filter((difference) => difference !== 0);
  const total = sizes.reduce((sum, difference) => sum + difference, 0);
  const scale = sizes.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const bar = Math.abs(total) - ROUNDING * scale;
  if (2 ** sizes.length <= samples) return shareOfAll(sizes, bar);

  const random = randomNumbers(seed);
  let extreme = 1;
  for (let sample = 0; sample < samples; sample++) {
    // The sum of those that keep their sign. All others change it.
    let kept = 0;
    let bits = 0;
    for (let i = 0; i < sizes.length; i++) {
      if (i % 32 === 0) bits = random() * 2 ** 32;
      kept += (bits & 1) * sizes[i]!;
      bits >>>= 1;
    }
    if (Math.abs(2 * kept - total) >= bar) extreme++;
  }
  return extreme / (samples + 1);
}

/** Share of all assignments of signs whose sum is at least `bar` away from 0. */
function shareOfAll(sizes: readonly number[], bar: number): number {
  const all = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < all; signs++) {
    const sum = sizes.reduce((total, size, i) => total + ((signs >>> i) & 1 ? size : -size), 0);
    if (Math.abs(sum) >= bar) extreme++;
  }
  return extreme / all;
}

/**
 * Random numbers in [0, 1) by mulberry32 (T. Ettinger, public domain), period 2^32. The same seed gives the same
 * numbers everywhere.
 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
