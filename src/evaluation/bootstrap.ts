import { checkOptions, namesOf } from '../core/index.js';
import { randomNumbers } from './random-numbers.js';

/** The two ends of an interval. */
export type Interval = readonly [low: number, high: number];

/** Options of {@link bootstrapIntervals}. */
export interface BootstrapOptions {
  /** Number of resamples, 1 or more. @default 2000 */
  readonly samples?: number | undefined;
  /** Seed of the random draws. @default 1 */
  readonly seed?: number | undefined;
}

const OPTIONS = namesOf<BootstrapOptions>({ samples: true, seed: true });

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
  checkOptions(options, OPTIONS);
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
