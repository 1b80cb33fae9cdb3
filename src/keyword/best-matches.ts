import type { DocumentNumber } from '../core/index.js';
import { LargestValues } from '../core/index.js';
import type { BestOptions, ScoredDocuments } from './keyword-index.js';
import type { LengthNorms } from './length-norms.js';
import { type MatchedWord, scoreMatches } from './score-matches.js';
import type { ScoreTiers } from './score-tiers.js';
import type { ScoringSpace } from './scoring-space.js';

/** What the relevance of the documents that match a question depends on. */
export interface Relevance {
  readonly tiers: ScoreTiers;
  readonly words: readonly MatchedWord[];
  /** By scored field. */
  readonly norms: readonly LengthNorms[];
  readonly space: ScoringSpace;
}

/**
 * The implementation of `KeywordMatches.best` for every index.
 *
 * A document that is named like the question, or whose name begins with it, comes before all others, whatever these
 * score. So of many documents these are looked at first, and no others where they are enough: where the names of twenty
 * skills begin with a word, a first page of that word scores these, not the thousands that have the word.
 */
export function bestMatches(
  { tiers, words, norms, space }: Relevance,
  { count, isShown }: BestOptions,
): ScoredDocuments {
  let best: ScoredDocuments = { documents: new Uint32Array(), scores: new Float64Array() };
  for (const documents of tiers.descending()) {
    if (best.documents.length >= count) break;
    const scores = scoreMatches(documents, words, norms, space);
    tiers.apply(documents, scores);
    best = withLeading(best, { documents, scores }, count - best.documents.length, isShown);
  }
  return best;
}

/** Adds the wanted documents that score best: so many that are new, and all that score as much as the last of them. */
function withLeading(
  best: ScoredDocuments,
  { documents, scores }: ScoredDocuments,
  count: number,
  isShown: (document: DocumentNumber) => boolean,
): ScoredDocuments {
  const known = new Set(best.documents);
  const isWanted = (document: DocumentNumber): boolean => !known.has(document) && isShown(document);
  const largest = new LargestValues(count);
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! > largest.least && isWanted(documents[i]!)) largest.add(scores[i]!);
  }
  const { least } = largest;
  const isLeading = (_: number, i: number): boolean =>
    known.has(documents[i]!) || (scores[i]! >= least && isShown(documents[i]!));
  return { documents: documents.filter(isLeading), scores: scores.filter(isLeading) };
}
