import { SCORED_FIELDS } from '../result.js';
import { FIELD_WEIGHTS, inverseDocumentFrequency, saturation } from './bm25.js';
import type { LengthNorms } from './length-norms.js';
import type { ScoringSpace } from './scoring-space.js';
import { addAmounts, type DocumentFrequencies } from './word-occurrences.js';

/** A word of the step that answered a question. */
export interface MatchedWord {
  /** The weight of the word among the words of the question, see `QuestionWord`. */
  readonly weight: number;
  /** Number of documents that have the word in a field that counts in the step. */
  readonly documentFrequency: number;
  /** By scored field, the posting lists of all terms that answer the word. */
  readonly lists: readonly (readonly DocumentFrequencies[])[];
}

const WEIGHTS = SCORED_FIELDS.map((field) => FIELD_WEIGHTS[field]);

/**
 * Scores documents by BM25F, see `bm25.ts`.
 *
 * @param documents ascending
 * @param norms by scored field
 * @returns the score beside each document, from 0
 */
export function scoreMatches(
  documents: Uint32Array,
  words: readonly MatchedWord[],
  norms: readonly LengthNorms[],
  { size, amounts }: ScoringSpace,
): Float64Array {
  const scores = new Float64Array(documents.length);
  for (const { weight, documentFrequency, lists } of words) {
    for (const [field, ofField] of lists.entries()) {
      addAmounts(ofField, documents, norms[field]!, WEIGHTS[field]!, amounts);
    }
    addScores(scores, amounts, weight * inverseDocumentFrequency(size, documentFrequency));
  }
  return scores;
}

/** Sets the amounts back to 0. */
function addScores(scores: Float64Array, amounts: Float64Array, idf: number): void {
  for (let i = 0; i < scores.length; i++) {
    const amount = amounts[i]!;
    if (amount === 0) continue;
    scores[i] = scores[i]! + idf * saturation(amount);
    amounts[i] = 0;
  }
}
