/**
 * BM25: S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations and Trends in
 * Information Retrieval 3(4), 2009. A word of a field scores `idf * saturation(frequency, penalty)`; the idf is
 * `inverseDocumentFrequency` of step-plan.ts.
 */

/** How slowly repetitions of a word wear off. */
const K1 = 1.2;

/** How much a long field is held against its words: 0 not at all, 1 in proportion. */
const B = 0.75;

/** What {@link saturation} stays below, however often a word is repeated. */
export const HIGHEST_SATURATION: number = K1 + 1;

/**
 * What the length of a field adds under the line of the formula; the same for all words of the field.
 *
 * @param length of the field in terms
 * @param averageLength of the field in all documents; 0 only where `length` is
 */
export function lengthPenalty(length: number, averageLength: number): number {
  const relative = averageLength === 0 ? 0 : length / averageLength;
  return K1 * (1 - B + B * relative);
}

/**
 * How much a field is about a word, by the number of times it stands there, from 1 on.
 *
 * @returns above 0, below {@link HIGHEST_SATURATION}
 */
export function saturation(frequency: number, penalty: number): number {
  return (frequency * (K1 + 1)) / (frequency + penalty);
}
