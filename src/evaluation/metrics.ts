/**
 * Measures of one ranking, defined as trec_eval defines them (https://github.com/usnistgov/trec_eval). All see numbers
 * only: `found` are the gains of the documents in the order in which they were found, 0 for one that is not relevant.
 */

/** Discounted cumulative gain of the first `k`: linear gain, discounted by log2 of the rank plus one. */
function discountedGain(found: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < found.length && i < k; i++) sum += found[i]! / Math.log2(i + 2);
  return sum;
}

/**
 * nDCG@k (K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002, with
 * linear gain): 0 to 1, trec_eval's `ndcg_cut`.
 *
 * @param ideal the gains of all relevant documents, the largest first, found or not; at least one
 */
export function ndcg(found: readonly number[], ideal: readonly number[], k: number): number {
  return discountedGain(found, k) / discountedGain(ideal, k);
}

/** 1 over the rank of the first relevant document, 0 where none is among the first `k`: `recip_rank` of a run cut at k. */
export function reciprocalRank(found: readonly number[], k: number): number {
  for (let i = 0; i < found.length && i < k; i++) if (found[i]! > 0) return 1 / (i + 1);
  return 0;
}

/** Share of the relevant documents that is among the first `k`: trec_eval's `recall`. */
export function recall(found: readonly number[], relevant: number, k: number): number {
  return countRelevant(found, k) / relevant;
}

/** Share of the first `k` that is relevant, of `k` also where fewer were found: trec_eval's `P`. */
export function precision(found: readonly number[], k: number): number {
  return countRelevant(found, k) / k;
}

/** Mean, over all relevant documents, of the precision at their ranks, 0 for those not found: trec_eval's `map`. */
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
