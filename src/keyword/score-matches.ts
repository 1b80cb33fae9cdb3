import { SCORED_FIELDS } from '../result.js';
import { FIELD_WEIGHTS, inverseDocumentFrequency, saturation } from './bm25.js';
import type { LengthNorms } from './length-norms.js';
import type { ScoringSpace } from './scoring-space.js';
import { addAllAmounts, addAmounts, type DocumentFrequencies } from './word-occurrences.js';

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

/** Looking up which of some documents a list has takes as long, for each of them, as reading so many postings. */
const LOOKUP_COST = 4;

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
  space: ScoringSpace,
): Float64Array {
  const scores = new Float64Array(documents.length);
  for (const word of words) {
    const idf = word.weight * inverseDocumentFrequency(space.size, word.documentFrequency);
    let postings = 0;
    for (const ofField of word.lists) for (const { size } of ofField) postings += size;
    // The sums are the same to the last bit: each document has the same numbers added in the same order.
    if (postings > documents.length * LOOKUP_COST) addLookedUp(scores, documents, word, norms, idf, space);
    else addRead(scores, documents, word, norms, idf, space);
  }
  return scores;
}

/** Adds a word by looking the documents up in its lists. */
function addLookedUp(
  scores: Float64Array,
  documents: Uint32Array,
  { lists }: MatchedWord,
  norms: readonly LengthNorms[],
  idf: number,
  { amounts }: ScoringSpace,
): void {
  for (const [field, ofField] of lists.entries()) {
    addAmounts(ofField, documents, norms[field]!, WEIGHTS[field]!, amounts);
  }
  for (let i = 0; i < scores.length; i++) {
    const amount = amounts[i]!;
    if (amount === 0) continue;
    scores[i] = scores[i]! + idf * saturation(amount);
    amounts[i] = 0;
  }
}

/** Adds a word by reading its lists, whichever documents they have. */
function addRead(
  scores: Float64Array,
  documents: Uint32Array,
  { lists }: MatchedWord,
  norms: readonly LengthNorms[],
  idf: number,
  { amounts, having }: ScoringSpace,
): void {
  let count = 0;
  for (const [field, ofField] of lists.entries()) {
    for (const list of ofField) {
      count = addAllAmounts(list, norms[field]!, WEIGHTS[field]!, amounts, having, count);
    }
  }
  for (let i = 0; i < scores.length; i++) {
    const amount = amounts[documents[i]!]!;
    if (amount > 0) scores[i] = scores[i]! + idf * saturation(amount);
  }
  for (let i = 0; i < count; i++) amounts[having[i]!] = 0;
}
