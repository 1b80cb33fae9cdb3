import type { DocumentNumber } from '../core/index.js';
import { type Comparator, topOf } from '../core/index.js';
import { collapseCopies } from '../store/index.js';
import type { DocumentVectors } from './document-vectors.js';
import { medianOf } from './median.js';
import type { Candidate } from './ranking/features.js';
import { HybridScorer, type QuestionContext } from './ranking/hybrid.js';

/** How many of the best candidates speak for the question. Those beyond would count next to nothing. */
const BEST = 20;

/**
 * How fast those count less: by e to the difference of sums, divided by this. Of .2, .3, .5, 1 and 2, and ten that
 * count the same, this gains most for graded requests at the least cost where one skill alone is right
 * (bench/README.md).
 */
const TEMPERATURE = 0.5;

/**
 * With fewer candidates the best ones are a good part of all there is, and say little of the question. As many as each
 * way of finding candidates gives in a large catalogue.
 */
export const FEWEST_WITH_FEEDBACK = 100;

/** Candidates that know how near they are to the best of them. */
export interface FedBack {
  readonly candidates: readonly Candidate[];
  /** The median of {@link Candidate.feedback}; 0 if there is none. */
  readonly usualFeedback: number;
}

/**
 * Pseudo-relevance feedback: how near each candidate is to the mean vector of the best ones of a first ranking, taken
 * as right the more, the higher their sums (J. Rocchio, Relevance feedback in information retrieval, 1971). What many
 * of the best have in common, the question means; it moves up what says the same in other words, and down what shares a
 * word by chance. It counts by the share of the best that have a vector.
 *
 * @param candidates without feedback, in any order
 * @param copyGroup group of copies of each document; each group speaks once
 */
export function withFeedback(
  candidates: readonly Candidate[],
  context: QuestionContext,
  vectors: DocumentVectors,
  copyGroup: Uint32Array,
): FedBack {
  const scorer = new HybridScorer(context, 'first');
  const sums = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate).sum]));
  const bySum: Comparator = (a, b) => sums.get(b)! - sums.get(a)! || a - b;
  const { documents } = collapseCopies([...sums.keys()], copyGroup, bySum);
  const best = topOf(documents, bySum, 0, BEST);
  const highest = sums.get(best[0] ?? -1) ?? 0;
  const weights = new Map(best.map((one) => [one, Math.exp((sums.get(one)! - highest) / TEMPERATURE)]));
  const mean = vectors.mean(weights);
  if (mean === undefined) return { candidates, usualFeedback: 0 };
  const cosines: ReadonlyMap<DocumentNumber, readonly number[]> = vectors.cosines([mean]);
  const [spoken, all] = [sumOf(weights, (one) => cosines.has(one)), sumOf(weights, () => true)];
  // The best may have no vector. Those that have one must not speak for them.
  const feedback = new Map(Array.from(cosines, ([document, [cosine = 0]]) => [document, (spoken / all) * cosine]));
  return {
    candidates: candidates.map((candidate) => ({ ...candidate, feedback: feedback.get(candidate.document) })),
    usualFeedback: medianOf([...feedback.values()]),
  };
}

function sumOf(weights: ReadonlyMap<DocumentNumber, number>, isMeant: (document: DocumentNumber) => boolean): number {
  let sum = 0;
  for (const [document, weight] of weights) if (isMeant(document)) sum += weight;
  return sum;
}
