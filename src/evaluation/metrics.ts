import { LEAST_USEFUL } from './benchmark.js';

/**
 * Measures of one ranking, with the definitions of trec_eval (https://github.com/usnistgov/trec_eval). `found` has the
 * gains of the documents in the order of the ranking, 0 for one that is not relevant; `k` is an integer from 1.
 */

/** Discounted cumulative gain of the first `k`: linear gain, divided by log2 of the rank plus one. */
function discountedGain(found: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < found.length && i < k; i++) sum += found[i]! / Math.log2(i + 2);
  return sum;
}

/**
 * nDCG@k, 0 to 1, with gains as they are; `ndcg_cut` of trec_eval (K. Järvelin and J. Kekäläinen, Cumulated gain-based
 * evaluation of IR techniques, ACM TOIS 20(4), 2002).
 *
 * @param ideal the gains of all relevant documents, found or not, the largest first; at least one
 * @example
 * ndcg([0, 1], [1], 10); // 0.63…
 */
export function ndcg(found: readonly number[], ideal: readonly number[], k: number): number {
  return discountedGain(found, k) / discountedGain(ideal, k);
}

/** 1 divided by the rank of the first relevant document, 0 if none is among the first `k`: MRR of one question. */
export function reciprocalRank(found: readonly number[], k: number): number {
  for (let i = 0; i < found.length && i < k; i++) if (found[i]! > 0) return 1 / (i + 1);
  return 0;
}

/**
 * Share of the relevant documents that is among the first `k`; `recall` of trec_eval.
 *
 * @param relevant the number of relevant documents, 1 or more
 */
export function recall(found: readonly number[], relevant: number, k: number): number {
  return countRelevant(found, k) / relevant;
}

/** Share of the first `k` documents that is relevant; of `k` even if fewer were found. `P` of trec_eval. */
export function precision(found: readonly number[], k: number): number {
  return countRelevant(found, k) / k;
}

/** Share of the first `k` documents with a gain of 2 or more: the useful ones. Of `k` even if fewer were found. */
export function usefulShare(found: readonly number[], k: number): number {
  let count = 0;
  for (let i = 0; i < found.length && i < k; i++) if (found[i]! >= LEAST_USEFUL) count++;
  return count / k;
}

/**
 * Share of the documents found among the first `k` that have a judgement, whatever it is. 1 if nothing was found: then
 * nothing lacks a judgement, and no other figure of the ranking is in doubt.
 *
 * @param judged whether each document of the ranking has a judgement
 */
export function judgedShare(judged: readonly boolean[], k: number): number {
  const shown = judged.slice(0, k);
  return shown.length === 0 ? 1 : shown.filter(Boolean).length / shown.length;
}

/** Mean of the precision at the rank of each relevant document, 0 for one not found. `map` of trec_eval. */
export function averagePrecision(found: readonly number[], relevant: number): number {
  let [hits, sum] = [0, 0];
  for (let i = 0; i < found.length; i++) {
    if (found[i]! > 0) sum += ++hits / (i + 1);
  }
  return sum / relevant;
}

function countRelevant(found: readonly number[], k: number): number {
  let count = 0;
  for (let i = 0; i < found.length && i < k; i++) if (found[i]! > 0) count++;
  return count;
}
