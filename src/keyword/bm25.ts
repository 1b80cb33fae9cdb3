import type { FieldScores } from '../result.js';

/**
 * The formula of relevance by words: BM25F (S. Robertson, H. Zaragoza and M. Taylor, Simple BM25 Extension to
 * Multiple Weighted Fields, CIKM 2004). A word adds `idf * saturation(amount)` to the score of a document. Its amount
 * is the sum, over the fields, of weight times term frequency divided by `lengthNorm`. So a word that stands in name
 * and description is one word with two occurrences, not two words. bench/README.md has what was compared.
 */

/** How much each field counts, from 0. */
export type FieldWeights = FieldScores;

/**
 * The weights of the fields in every search. File text is long, and says less about what a skill does than its
 * description. bench/README.md says how they were chosen.
 */
export const FIELD_WEIGHTS: FieldWeights = { name: 1, author: 0.1, labels: 0.2, description: 1, files: 0.3 };

/** Controls how soon further repetitions of a word stop adding to the score. */
const K1 = 1.2;

/** How much a long field lowers the amount of its words: 0 not at all, 1 in proportion to its length. */
const B = 0.6;

/** Upper bound of {@link saturation}, approached as the amount grows. */
export const HIGHEST_SATURATION: number = K1 + 1;

/**
 * The divisor for the term frequencies of a field: 1 for a field of average length.
 *
 * @param length of the field in terms
 * @param averageLength of the field in all documents; 0 only where `length` is
 * @returns above 0
 */
function lengthNorm(length: number, averageLength: number): number {
  const relative = averageLength === 0 ? 0 : length / averageLength;
  return 1 - B + B * relative;
}

/**
 * How much a document is about a word.
 *
 * @param amount of the word in the document, from 0
 * @returns 0 for an amount of 0, always below {@link HIGHEST_SATURATION}
 */
export function saturation(amount: number): number {
  return (amount * (K1 + 1)) / (amount + K1);
}

/**
 * How much a word tells: the inverse document frequency of Robertson and Spärck Jones, in the form that stays positive.
 *
 * @param documents number of documents in the catalogue
 * @param documentFrequency number of documents that have the word
 */
export function inverseDocumentFrequency(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The length norms of one field, see `lengthNorm`. Computed once per length, since there are few different lengths. */
export class LengthNorms {
  /** By document, in distinct terms. */
  readonly lengths: Uint32Array;
  /** By length; loops over many documents read it with {@link lengths}. */
  readonly byLength: Float64Array;

  /** @param lengths of the field, by document */
  constructor(lengths: Uint32Array) {
    this.lengths = lengths;
    let [total, greatest] = [0, 0];
    for (let i = 0; i < lengths.length; i++) {
      total += lengths[i]!;
      if (lengths[i]! > greatest) greatest = lengths[i]!;
    }
    const average = total / lengths.length;
    this.byLength = Float64Array.from({ length: greatest + 1 }, (_, length) => lengthNorm(length, average));
  }
}
