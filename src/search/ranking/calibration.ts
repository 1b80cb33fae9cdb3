/**
 * The highest probability that a first hit can have. Chosen by hand, and borne out: of the first hits with 0.8 or more
 * 85 % are useful (bench/README.md, Graded requests), so a higher value would promise too much.
 */
export const MOST_CERTAIN = 0.9;

/**
 * How many of the best sums a probability is computed from: the first hit, and the nine that it is compared with. Ten
 * is the default number of hits. Margins to the second hit alone, spread and z-scores did no better (bench/README.md).
 */
export const COMPARED = 10;

/**
 * Turns sums into probabilities by a logistic function (J. Platt, Probabilistic outputs for support vector machines,
 * 1999). A first hit with the sum `s` is useful with the probability
 *
 *     MOST_CERTAIN / (1 + e^-(slope * s / reach - others * o / reach + bySize * size + intercept))
 *
 * where `o` is the mean sum of the next nine hits, `reach` about the highest sum there can be, and `size` the relative
 * size of the catalogue: the best of more skills comes nearer. All numbers are fitted to graded requests, to those that
 * nothing answers too, and stored in `data/ranking.json`; see `bench/ranking/first-hits.ts`.
 */
export interface Calibration {
  readonly slope: number;
  readonly others: number;
  readonly bySize: number;
  readonly intercept: number;
  /**
   * An answer is confident if its first hit has this probability or more: few requests that nothing answers reach it.
   */
  readonly confident: number;
  /**
   * What the first hit comes to where nothing fits, as a part of {@link SumScale.reach}: `weight + bySize * size`.
   */
  readonly unfit: { readonly weight: number; readonly bySize: number };
}

/** What the sums of one question are measured by. */
export interface SumScale {
  /** Relative size of the catalogue, 0 to 1; see `sizeOf` in fusion.ts. */
  readonly size: number;
  /** About the highest sum that a skill can have; see `reachOf` in fusion.ts. */
  readonly reach: number;
}

/**
 * The mean of the second to the tenth sum. If there are fewer, skills that do not fit are assumed for the missing ones,
 * so that a hit is as certain as it would be among many that do not fit.
 *
 * @param sums highest first
 */
export function meanOfOthers(
  sums: readonly number[],
  { size, reach }: SumScale,
  { unfit }: Pick<Calibration, 'unfit'>,
): number {
  const others = sums.slice(1, COMPARED);
  const missing = COMPARED - 1 - others.length;
  // No hit that is assumed comes before the first. It may come before a later one, or what does not fit at all would
  // make the first more certain than nothing would.
  const assumed = Math.min(reach * (unfit.weight + unfit.bySize * size), sums[0] ?? 0);
  return others.reduce((total, sum) => total + sum, missing * assumed) / (COMPARED - 1);
}

/**
 * The probability that a first hit with this sum is useful. The same formula gives the scores of later hits, which are
 * lower.
 *
 * @param others mean sum of the next nine hits; see {@link meanOfOthers}
 * @returns from 0 to {@link MOST_CERTAIN}
 */
export function probabilityOf(
  sum: number,
  others: number,
  { size, reach }: SumScale,
  { slope, others: weightOfOthers, bySize, intercept }: Calibration,
): number {
  // Without any weight there is nothing to tell hits apart by.
  const part = reach === 0 ? 0 : (slope * sum - weightOfOthers * others) / reach;
  return MOST_CERTAIN / (1 + Math.exp(-(part + bySize * size + intercept)));
}
