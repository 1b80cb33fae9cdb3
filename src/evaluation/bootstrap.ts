import { randomNumbers } from './random-numbers.js';

/** From and to. */
export type Interval = readonly [low: number, high: number];

export interface BootstrapOptions {
  /** How often the questions are drawn anew. @default 2000 */
  readonly samples?: number | undefined;
  /** @default 1 */
  readonly seed?: number | undefined;
}

/** Share of the samples that an interval leaves out on each side. */
const TAIL = 0.025;

/**
 * 95 % intervals of means by the percentile bootstrap (B. Efron, 1979): the questions are drawn anew, with replacement, and
 * the middle 95 % of the means that come out are the interval.
 *
 * @param columns figures of the same questions, by what is measured; the same draws serve all of them
 */
export function bootstrapIntervals(columns: readonly Float64Array[], options: BootstrapOptions = {}): Interval[] {
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

/** Between two neighbours in proportion. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}
