/** First hits of like score: how many of them are right. */
export interface ReliabilityBin {
  /** The least score of the bin. */
  readonly from: number;
  /** Number of first hits, 1 or more. */
  readonly count: number;
  /** Their mean score. */
  readonly expected: number;
  /** Share of them that is right. */
  readonly right: number;
}

/** A first hit: its score, 0 to 1, and whether it is right. */
export type ScoredHit = readonly [score: number, right: boolean];

const BINS = 10;

/** First hits in ten bins of equal width, without the empty ones. */
export function reliabilityBins(hits: Iterable<ScoredHit>): ReliabilityBin[] {
  const bins = Array.from({ length: BINS }, (_, i) => ({ from: i / BINS, count: 0, scores: 0, right: 0 }));
  for (const [score, right] of hits) {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))]!;
    bin.count += 1;
    bin.scores += score;
    bin.right += right ? 1 : 0;
  }
  return bins
    .filter(({ count }) => count > 0)
    .map(({ from, count, scores, right }) => ({ from, count, expected: scores / count, right: right / count }));
}

/**
 * Expected calibration error: the mean distance of score and share that is right, weighted by the number of hits
 * (M. Naeini, G. Cooper and M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015).
 *
 * @returns 0 to 1; 0 without hits
 */
export function calibrationError(bins: readonly ReliabilityBin[]): number {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { count, expected, right }) => sum + (count / all) * Math.abs(expected - right), 0);
}
