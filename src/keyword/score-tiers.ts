import { leapTo, lowerBound } from '../arrays/lower-bound.js';
import type { DocumentNumber } from '../numbers.js';

/** Number of tiers. Scores of a higher tier are above all scores of a lower one, whatever the words add. */
const SCORE_TIERS = 6;

/** Tiers by the name of a document. It is one tier lower if it has a word only with other accents than the question. */
const OTHER_NAME_TIER = 1;
const NAME_BEGINNING_TIER = 3;
const EXACT_NAME_TIER = 5;

/** A BM25F score `s` becomes `s / (s + HALF_SCORE)`, so 0 to 1: monotone, and the same for all questions. */
const HALF_SCORE = 10;

/** What decides about the tiers of documents. */
export interface TierMembers {
  /** Documents whose name is the question, in no particular order. */
  readonly exactNames: readonly DocumentNumber[];
  /** Documents whose name begins with the question, in no particular order. */
  readonly nameBeginnings: readonly DocumentNumber[];
  /** By word, documents that have it only with other accents than the question; ascending. */
  readonly otherAccents: readonly Uint32Array[];
}

/**
 * Puts BM25F scores into tiers, in place: above 0 and at most 1.
 *
 * @param documents ascending; members of tiers that are not among them are ignored
 * @param scores beside each document, from 0
 */
export function applyTiers(documents: Uint32Array, scores: Float64Array, members: TierMembers): void {
  const tiers = new Uint8Array(documents.length).fill(OTHER_NAME_TIER);
  const setTier = (document: DocumentNumber, tier: number): void => {
    const i = lowerBound(documents, document);
    if (documents[i] === document) tiers[i] = tier;
  };
  for (const document of members.nameBeginnings) setTier(document, NAME_BEGINNING_TIER);
  for (const document of members.exactNames) setTier(document, EXACT_NAME_TIER);
  lowerTiers(documents, tiers, members.otherAccents);
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    scores[i] = (tiers[i]! + score / (score + HALF_SCORE)) / SCORE_TIERS;
  }
}

/**
 * Lowers the tier of documents that are in any of some lists by one. Tiers by name are odd, so they are lowered once.
 */
function lowerTiers(documents: Uint32Array, tiers: Uint8Array, lists: readonly Uint32Array[]): void {
  for (const list of lists) {
    let i = 0;
    for (const document of list) {
      i = leapTo(documents, document, i);
      if (documents[i] === document && tiers[i]! % 2 === 1) tiers[i] = tiers[i]! - 1;
    }
  }
}
