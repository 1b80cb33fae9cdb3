import type { DocumentNumber } from '../core/index.js';
import type { LengthNorms } from './bm25.js';

/** A posting list: the documents that have a term in a field, each with the frequency of the term. */
export interface DocumentFrequencies {
  readonly size: number;
  get(document: DocumentNumber): number | undefined;
  forEach(visit: (frequency: number, document: DocumentNumber) => void): void;
  /** Does what {@link addAmounts} does for this list. Optional: for lists that are faster than document by document. */
  addAmounts?(documents: Uint32Array, norms: LengthNorms, weight: number, into: Float64Array): void;
  /** Does what {@link addAllAmounts} does for this list. Optional, as above. */
  addAllAmounts?(norms: LengthNorms, weight: number, amounts: Float64Array, having: Uint32Array, count: number): number;
}

/**
 * Adds to the number beside each of some ascending documents its amount of a word in a field: weight times frequency,
 * divided by the length norm.
 *
 * @param lists the posting lists of the word in the field
 */
export function addAmounts(
  lists: readonly DocumentFrequencies[],
  documents: Uint32Array,
  norms: LengthNorms,
  weight: number,
  into: Float64Array,
): void {
  for (const list of lists) {
    if (list.addAmounts !== undefined) {
      list.addAmounts(documents, norms, weight, into);
      continue;
    }
    for (let i = 0; i < documents.length; i++) {
      const frequency = list.get(documents[i]!);
      if (frequency !== undefined) into[i] = into[i]! + (weight * frequency) / norms.of(documents[i]!);
    }
  }
}

/**
 * Adds the amounts of a word in a field to `amounts`, by document: weight times frequency, divided by the length norm.
 * Documents whose amount was 0 are appended to `having`.
 *
 * @param count number of documents in `having` so far
 * @returns number of documents in `having` then
 */
export function addAllAmounts(
  list: DocumentFrequencies,
  norms: LengthNorms,
  weight: number,
  amounts: Float64Array,
  having: Uint32Array,
  count: number,
): number {
  if (list.addAllAmounts !== undefined) return list.addAllAmounts(norms, weight, amounts, having, count);
  let next = count;
  list.forEach((frequency, document) => {
    const before = amounts[document]!;
    const after = before + (weight * frequency) / norms.of(document);
    if (before === 0 && after > 0) having[next++] = document;
    amounts[document] = after;
  });
  return next;
}
