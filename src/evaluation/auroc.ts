/** How well scores tell questions with an answer from those without. */
export interface Separation {
  /** Area under the ROC curve: how often an answerable question scores above an unanswerable one, equal counting half. */
  readonly area: number;
  /** Of each pair what it adds to the area; their mean is the area. */
  readonly parts: Float64Array;
}

/**
 * Area under the ROC curve for pairs of scores: those of questions with their answers, and of the same questions without.
 *
 * The part of a pair is linear in the two scores' ranks (the placement values of E. DeLong et al., Comparing the areas under
 * two or more correlated ROC curves, Biometrics 44, 1988), so an interval can be had by resampling pairs.
 *
 * @param answerable one number for each question; what has no first hit is `-Infinity`
 * @param unanswerable as many, in the same order
 */
export function separation(answerable: Float64Array, unanswerable: Float64Array): Separation {
  const [low, high] = [Float64Array.from(unanswerable).sort(), Float64Array.from(answerable).sort()];
  const above = Float64Array.from(answerable, (score) => shareBelow(score, low));
  const below = Float64Array.from(unanswerable, (score) => 1 - shareBelow(score, high));
  const area = above.reduce((sum, share) => sum + share, 0) / above.length;
  return { area, parts: above.map((share, i) => share + below[i]! - area) };
}

/** Share of ascending numbers that are below a score, those equal to it by half. */
function shareBelow(score: number, sorted: Float64Array): number {
  return (firstNot(sorted, (one) => one < score) + firstNot(sorted, (one) => one <= score)) / 2 / sorted.length;
}

/** The first place of which something is not true; it is true of all before and of none after. */
function firstNot(sorted: Float64Array, holds: (one: number) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(sorted[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}
