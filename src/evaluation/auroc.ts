/** How well scores separate questions with an answer from questions without one. */
export interface Separation {
  /** Area under the ROC curve, 0 to 1: how often an answerable question scores higher; ties count half. */
  readonly area: number;
  /** The contribution of each pair; their mean is the area. */
  readonly parts: Float64Array;
}

/**
 * Area under the ROC curve of first scores: those of questions with their answers, against those of the same questions
 * without their answers.
 *
 * The part of a pair is linear in the ranks of its scores (the placement values of E. DeLong et al., Comparing the
 * areas under two or more correlated ROC curves, Biometrics 44, 1988). So resampling pairs gives an interval.
 *
 * @param answerable one score for each question; `-Infinity` for one without a hit
 * @param unanswerable as many scores, in the same order
 * @example
 * import { separation } from 'skill-discovery/evaluation';
 *
 * const { area } = separation(Float64Array.of(0.9, 0.6, 0.4), Float64Array.of(0.5, 0.4, 0.1));
 * console.log(area.toFixed(3)); // 0.833
 */
export function separation(answerable: Float64Array, unanswerable: Float64Array): Separation {
  const [low, high] = [Float64Array.from(unanswerable).sort(), Float64Array.from(answerable).sort()];
  const above = Float64Array.from(answerable, (score) => shareBelow(score, low));
  const below = Float64Array.from(unanswerable, (score) => 1 - shareBelow(score, high));
  const area = above.reduce((sum, share) => sum + share, 0) / above.length;
  return { area, parts: above.map((share, i) => share + below[i]! - area) };
}

/** Share of ascending numbers that are below a score. Equal numbers count half. */
function shareBelow(score: number, sorted: Float64Array): number {
  return (firstNot(sorted, (one) => one < score) + firstNot(sorted, (one) => one <= score)) / 2 / sorted.length;
}

/** The first index for which `holds` is false, by bisection: it is true for all before and for none after. */
function firstNot(sorted: Float64Array, holds: (one: number) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(sorted[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}
