import type { Ranking } from '../query.js';
import { type FieldScores, SCORED_FIELDS, type ScoreParts } from '../result.js';

/** A document that may be shown, and what is known of it and the question. */
export interface Candidate {
  readonly number: number;
  /** Cosine of question and document, -1 to 1; undefined where the document has no vector. */
  readonly cosine: number | undefined;
  /** BM25 of the question's words by field; undefined where words do not count. */
  readonly bm25: FieldScores | undefined;
  /** Whether the question is the document's name. */
  readonly exactName: boolean;
}

export interface ScoredCandidate {
  readonly number: number;
  /** 0 to 1. */
  readonly score: number;
  readonly parts: ScoreParts;
}

/**
 * What a word is worth by the field it stands in. A name is short, so BM25 gives its words much by itself; see
 * bench/README.md for what these were chosen by.
 */
export const WORD_WEIGHTS: FieldScores = { name: 0.5, author: 0.1, labels: 0.2, description: 1, files: 0.5 };

const ALL_WEIGHTS = SCORED_FIELDS.reduce((sum, field) => sum + WORD_WEIGHTS[field], 0);

/** Share of words in the score; the rest is meaning. */
const WORDS_SHARE = 0.65;

/** What is left above for documents of the exact name: they come first, whatever else there is. */
const EXACT_NAME = 0.01;

/**
 * Scores a candidate: of how far its words reach of what they could, and of its cosine. Nothing depends on the other
 * candidates, so scores of different questions are on one scale.
 *
 * @param highest the most that the question's words could reach in one field
 */
export function scoreCandidate(candidate: Candidate, highest: number, ranking: Ranking): ScoredCandidate {
  const { number, cosine, bm25, exactName } = candidate;
  const meaning = Math.min(1, Math.max(0, cosine ?? 0));
  const cosinePart = cosine === undefined ? {} : { cosine };
  if (ranking === 'vector') {
    return { number, score: meaning, parts: { ...cosinePart, weights: { words: 0, meaning: 1 }, exactName } };
  }
  const words = bm25 === undefined || highest === 0 ? 0 : weighWords(bm25) / (highest * ALL_WEIGHTS);
  if (ranking === 'words') {
    const bm25Part = bm25 === undefined ? {} : { bm25 };
    return { number, score: words, parts: { ...bm25Part, words, weights: { words: 1, meaning: 0 }, exactName } };
  }
  const sum = WORDS_SHARE * words + (1 - WORDS_SHARE) * meaning;
  const weights = { words: WORDS_SHARE, meaning: 1 - WORDS_SHARE };
  return {
    number,
    score: exactName ? 1 - EXACT_NAME + EXACT_NAME * sum : (1 - EXACT_NAME) * sum,
    parts: { ...cosinePart, ...(bm25 === undefined ? {} : { bm25 }), words, weights, exactName },
  };
}

function weighWords(bm25: FieldScores): number {
  return SCORED_FIELDS.reduce((sum, field) => sum + WORD_WEIGHTS[field] * bm25[field], 0);
}
