import { lowerBound } from '../arrays/lower-bound.js';
import type { DocumentNumber } from '../numbers.js';

/** Number of tiers. Scores of a higher tier are above all scores of a lower one, whatever the words add. */
const SCORE_TIERS = 6;

/** Tiers by the name of a document. It is one tier lower if it has a word only with other accents than the question. */
const OTHER_NAME_TIER = 1;
const NAME_BEGINNING_TIER = 3;
const EXACT_NAME_TIER = 5;

/** A BM25F score `s` becomes `s / (s + HALF_SCORE)`, so 0 to 1: monotone, and the same for all questions. */
const HALF_SCORE = 10;

/** What decides about the tiers of documents: document numbers in no particular order. */
export interface TierMembers {
  /** Documents whose name is the question. */
  readonly exactNames: readonly DocumentNumber[];
  /** Documents whose name begins with the question. */
  readonly nameBeginnings: readonly DocumentNumber[];
  /** Documents that have a word only with other accents than the question. */
  readonly otherAccents: Iterable<DocumentNumber>;
}

/**
 * Puts BM25F scores into tiers, in place: above 0 and at most 1.
 *
 * @param documents ascending; members of tiers that are not among them are ignored
 * @param scores beside each document, from 0
 */
export function applyTiers(documents: Uint32Array, scores: Float64Array, members: TierMembers): void {
  // Nearly all documents are in one tier, so only the exceptions are looked up.
  const exceptions = new Map<number, number>();
  const setTier = (document: DocumentNumber, tierOf: (tier: number) => number): void => {
    const i = lowerBound(documents, document);
    if (documents[i] === document) exceptions.set(i, tierOf(exceptions.get(i) ?? OTHER_NAME_TIER));
  };
  for (const document of members.nameBeginnings) setTier(document, () => NAME_BEGINNING_TIER);
  for (const document of members.exactNames) setTier(document, () => EXACT_NAME_TIER);
  for (const document of new Set(members.otherAccents)) setTier(document, (tier) => tier - 1);

  for (let i = 0; i < scores.length; i++) scores[i] = scores[i]! / (scores[i]! + HALF_SCORE);
  const moved = [...exceptions].map(([i, tier]) => [i, (tier + scores[i]!) / SCORE_TIERS] as const);
  for (let i = 0; i < scores.length; i++) scores[i] = (OTHER_NAME_TIER + scores[i]!) / SCORE_TIERS;
  for (const [i, score] of moved) scores[i] = score;
}
