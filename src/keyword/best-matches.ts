import { LargestValues } from '../arrays/largest-values.js';
import type { DocumentNumber } from '../numbers.js';
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
  const best = new Map<DocumentNumber, number>();
  for (const documents of tiers.descending()) {
    if (best.size >= count) break;
    const scores = scoreMatches(documents, words, norms, space);
    tiers.apply(documents, scores);
    addLeading(best, documents, scores, count - best.size, isShown);
  }
  const documents = Uint32Array.from(best.keys()).sort();
  return { documents, scores: Float64Array.from(documents, (document) => best.get(document)!) };
}

/** Adds the wanted documents that score best: so many that are new, and all that score as much as the last of them. */
function addLeading(
  best: Map<DocumentNumber, number>,
  documents: Uint32Array,
  scores: Float64Array,
  count: number,
  isShown: (document: DocumentNumber) => boolean,
): void {
  const isWanted = (document: DocumentNumber): boolean => !best.has(document) && isShown(document);
  const largest = new LargestValues(count);
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! > largest.least && isWanted(documents[i]!)) largest.add(scores[i]!);
  }
  const { least } = largest;
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! >= least && isWanted(documents[i]!)) best.set(documents[i]!, scores[i]!);
  }
}
