/**
 * The highest probability that a first hit can have. Chosen by hand, and borne out: of the first hits with 0.8 or more
 * 85 % are right (the table of reliability in bench/README.md), so a higher value would promise too much.
 */
export const MOST_CERTAIN = 0.9;

/**
 * How many of the best sums a probability is computed from: the first hit, and the nine that it is compared with. Ten
 * is the default number of hits. Margins to the second hit alone, spread and z-scores did no better (bench/README.md).
 */
export const COMPARED = 10;

/**
 * Turns sums into probabilities by a logistic function (J. Platt, Probabilistic outputs for support vector machines,
 * 1999). A first hit with the sum `s` is right with the probability
 *
 *     MOST_CERTAIN / (1 + e^-(slope * s - others * o + intercept))
 *
 * where `o` is the mean sum of the next nine hits: where many come as near as the first, it is less likely to be right.
 * All numbers are fitted to judged questions and stored in `data/ranking.json`; see `bench/ranking/first-hits.ts`.
 */
export interface Calibration {
  readonly slope: number;
  readonly others: number;
  readonly intercept: number;
  /** An answer is confident if its first hit has this probability or more: 95 % of the right first hits have. */
  readonly confident: number;
  /**
   * An answer is also confident if the first hit's sum is at least this part of {@link SumScale.reach}, however near
   * the others come: `weight + bySize * size`. It grows with the catalogue, since the best of more skills comes nearer.
   */
  readonly near: { readonly weight: number; readonly bySize: number };
}

/** What the sums of one question are measured by. */
export interface SumScale {
  /** Relative size of the catalogue, 0 to 1; see `sizeOf` in fusion.ts. */
  readonly size: number;
  /** About the highest sum that a skill can have; see `reachOf` in fusion.ts. */
  readonly reach: number;
}

/** The sum assumed for a hit that is missing, as a part of the least sum that fits. Chosen by hand, below 1. */
const MISSING_PART = 0.75;

/**
 * The mean of the second to the tenth sum. If there are fewer, skills that do not fit are assumed for the missing ones:
 * a hit is not more certain because there is nothing to compare it with.
 *
 * @param sums highest first
 */
export function meanOfOthers(sums: readonly number[], scale: SumScale, { near }: Pick<Calibration, 'near'>): number {
  const others = sums.slice(1, COMPARED);
  const missing = COMPARED - 1 - others.length;
  return (
    others.reduce((total, sum) => total + sum, missing * MISSING_PART * leastFitting(scale, near)) / (COMPARED - 1)
  );
}

/** The least sum of a hit that fits, however many others do. */
function leastFitting({ size, reach }: SumScale, { weight, bySize }: Calibration['near']): number {
  return reach * (weight + bySize * size);
}

/**
 * The probability that a first hit with this sum is right. The same formula gives the scores of later hits, which are
 * lower.
 *
 * @param others mean sum of the next nine hits; see {@link meanOfOthers}
 * @returns from 0 to {@link MOST_CERTAIN}
 */
export function probabilityOf(sum: number, others: number, calibration: Calibration): number {
  const { slope, others: weightOfOthers, intercept } = calibration;
  return MOST_CERTAIN / (1 + Math.exp(-(slope * sum - weightOfOthers * others + intercept)));
}

/** Whether a first hit is likely to be right, or is one of many skills that fit. */
export function isConfident(sum: number, others: number, scale: SumScale, calibration: Calibration): boolean {
  const { confident, near } = calibration;
  return probabilityOf(sum, others, calibration) >= confident || sum >= leastFitting(scale, near);
}
