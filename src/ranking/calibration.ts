/** A first hit is taken for right with this probability at most: what only means the same is never certain. */
export const MOST_CERTAIN = 0.9;

/** So many of the best stand for how near anything comes to a question: the first, and those it is measured against. */
export const COMPARED = 10;

/**
 * How sums become probabilities (J. Platt, Probabilistic outputs for support vector machines, 1999): the first hit of sum
 * `s` is right with the probability `MOST_CERTAIN / (1 + e^-(slope * s - others * o + intercept))`, where `o` is the mean
 * sum of the nine documents after it. Where many come as near as the first, it is less likely to be the one.
 */
export interface Calibration {
  readonly slope: number;
  readonly others: number;
  readonly intercept: number;
  /** First hits of this probability or more are as a rule an answer. */
  readonly confident: number;
  /**
   * So are those whose sum is this part or more of what it could reach, however many come as near: `weight + bySize * size`. Where
   * there are more skills, the best of them come nearer.
   */
  readonly near: { readonly weight: number; readonly bySize: number };
}

/** What the sums of a question are measured by. */
export interface SumScale {
  /** Of the catalogue, see `sizeOf` of fusion.ts. */
  readonly size: number;
  /** What a skill that fits in every way comes to. */
  readonly reach: number;
}

/** What a skill comes to that does not fit, as a part of the sum from which on one does. */
const UNFITTING = 0.75;

/**
 * The mean of the second to the tenth of some sums. Where there are fewer, as many skills that do not fit are supposed: with
 * nothing to compare it with, a hit is not the more certain.
 *
 * @param sums highest first
 */
export function meanOfOthers(sums: readonly number[], scale: SumScale, { near }: Pick<Calibration, 'near'>): number {
  const others = sums.slice(1, COMPARED);
  const missing = COMPARED - 1 - others.length;
  return others.reduce((total, sum) => total + sum, missing * UNFITTING * nearFrom(scale, near)) / (COMPARED - 1);
}

/** The sum from which on a hit fits, however many others do. */
function nearFrom({ size, reach }: SumScale, { weight, bySize }: Calibration['near']): number {
  return reach * (weight + bySize * size);
}

/**
 * The probability that the first hit is right, and what stands for it of later ones: they are below.
 *
 * @returns above 0, at most {@link MOST_CERTAIN}
 */
export function probabilityOf(sum: number, others: number, calibration: Calibration): number {
  return MOST_CERTAIN / (1 + Math.exp(-evidenceOf(sum, others, calibration)));
}

function evidenceOf(sum: number, others: number, { slope, others: against, intercept }: Calibration): number {
  return slope * sum - against * others + intercept;
}

/** Whether a first hit is likely to be what was asked for, or one of many that are. */
export function isConfident(sum: number, others: number, scale: SumScale, calibration: Calibration): boolean {
  const { confident, near } = calibration;
  return probabilityOf(sum, others, calibration) >= confident || sum >= nearFrom(scale, near);
}
