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
 * Scores that differ by less than this part may become equal when they are put into tiers. So documents as near as that
 * to the last of the best are chosen, too.
 */
const ROUNDING = 1e-12;

/**
 * The implementation of `KeywordMatches.best` for every index.
 *
 * A document of a higher tier comes before all of a lower one, whatever it scores. So tiers are looked at one after the
 * other, and none behind those that have enough documents: where the names of twenty skills begin with a word, a first
 * page of that word scores these, not the thousands that have the word.
 */
export function bestMatches(relevance: Relevance, { count, isShown }: BestOptions): ScoredDocuments {
  const { tiers, words, norms, space } = relevance;
  const chosen = new Set<DocumentNumber>();
  const isWanted = (document: DocumentNumber): boolean => !chosen.has(document) && isShown(document);
  for (const tier of tiers.descending()) {
    if (chosen.size >= count) break;
    for (const document of leading(tier, relevance, count - chosen.size, isWanted)) chosen.add(document);
  }
  const documents = Uint32Array.from(chosen).sort();
  const scores = scoreMatches(documents, words, norms, space);
  tiers.apply(documents, scores);
  return { documents, scores };
}

/** The wanted documents of one tier that score best: so many, and those that score as much as the last of them. */
function leading(
  documents: Uint32Array,
  { words, norms, space }: Relevance,
  count: number,
  isWanted: (document: DocumentNumber) => boolean,
): DocumentNumber[] {
  if (documents.length <= count) return [...documents].filter(isWanted);
  const scores = scoreMatches(documents, words, norms, space);
  const largest = new LargestValues(count);
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! > largest.least && isWanted(documents[i]!)) largest.add(scores[i]!);
  }
  const least = largest.least * (1 - ROUNDING);
  const found: DocumentNumber[] = [];
  for (let i = 0; i < documents.length; i++) {
    if (scores[i]! >= least && isWanted(documents[i]!)) found.push(documents[i]!);
  }
  return found;
}
