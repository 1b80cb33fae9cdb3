/**
 * BM25 over several fields: S. Robertson, H. Zaragoza and M. Taylor, Simple BM25 Extension to Multiple Weighted Fields,
 * CIKM 2004. A word scores `idf * saturation(amount)`; its amount in a document is the sum, over the fields, of weight times
 * frequency by `lengthNorm`. So a word that stands in name and description is one word that stands there twice, not two
 * words. The idf is `inverseDocumentFrequency` of step-plan.ts. See bench/README.md for what was compared.
 */

/** How slowly repetitions of a word wear off. */
const K1 = 1.2;

/** How much a long field is held against its words: 0 not at all, 1 in proportion. */
const B = 0.6;

/** What {@link saturation} stays below, however often a word is repeated. */
export const HIGHEST_SATURATION: number = K1 + 1;

/**
 * What frequencies of a field are divided by: 1 where it is as long as on average.
 *
 * @param length of the field in terms
 * @param averageLength of the field in all documents; 0 only where `length` is
 * @returns above 0
 */
export function lengthNorm(length: number, averageLength: number): number {
  const relative = averageLength === 0 ? 0 : length / averageLength;
  return 1 - B + B * relative;
}

/**
 * How much a document is about a word.
 *
 * @param amount of the word in it, from 0
 * @returns 0 of nothing, below {@link HIGHEST_SATURATION}
 */
export function saturation(amount: number): number {
  return (amount * (K1 + 1)) / (amount + K1);
}
