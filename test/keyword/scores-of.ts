import type { KeywordMatches } from '../../src/keyword/keyword-index.js';

/** The relevance beside each matching document; undefined if it was not requested, or nothing matches. */
export function scoresOf({ documents, best }: KeywordMatches): Float64Array | undefined {
  return best?.({ count: documents.length, isShown: () => true }).scores;
}
