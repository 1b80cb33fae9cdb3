import type { Ranking } from '../query.js';
import { type FieldScores, SCORED_FIELDS, type ScoreParts } from '../result.js';

/** A document that may be shown, and what is known of it and the question. */
export interface Candidate {
  readonly number: number;
  /** Cosine of question and document, -1 to 1; undefined where the document has no vector. */
  readonly cosine: number | undefined;
  /** BM25 of the question's words by field; undefined where words do not count. */
  readonly bm25: FieldScores | undefined;
  /** Share of the question's words that the document has anywhere, 0 to 1; undefined where words do not count. */
  readonly coverage: number | undefined;
  /** Whether the question is the document's name. */
  readonly exactName: boolean;
}

export interface ScoredCandidate {
  readonly number: number;
  /** 0 to 1. */
  readonly score: number;
  readonly parts: ScoreParts;
}

/** What a candidate is measured by, the same for all of a question. */
export interface QuestionScale {
  /** The most that the question's words could reach in one field. */
  readonly highest: number;
  /** Skills in the catalogue. */
  readonly size: number;
}

/**
 * What a word is worth by the field it stands in. A name is short, so BM25 gives its words much by itself; file text is
 * long, and says what a skill is about less than its description does. See bench/README.md for what these, and the
 * weights below, were chosen by.
 */
export const WORD_WEIGHTS: FieldScores = { name: 0.5, author: 0.1, labels: 0.2, description: 1, files: 0.3 };

const ALL_WEIGHTS = SCORED_FIELDS.reduce((sum, field) => sum + WORD_WEIGHTS[field], 0);

/** Weights of words, meaning and coverage in the score, before they are brought to a sum of 1. */
const WORDS = 0.65;
const MEANING = 0.4;
/** Of a catalogue of {@link LARGE} skills or more; none of one of {@link SMALL} or less, between them by the logarithm. */
const COVERAGE = 0.25;

/**
 * Where there are few skills, meaning tells them apart; among a hundred thousand many mean nearly the same, and what is
 * asked for is more likely the one that has all the words, in its files if not in its description.
 */
const SMALL = 100;
const LARGE = 100_000;

/** What is left above for documents of the exact name: they come first, whatever else there is. */
const EXACT_NAME = 0.01;

/**
 * Scores a candidate: of how far its words reach of what they could, of its cosine, and of how many of the words it has at
 * all. Nothing depends on the other candidates, so scores of different questions are on one scale.
 */
export function scoreCandidate(
  candidate: Candidate,
  { highest, size }: QuestionScale,
  ranking: Ranking,
): ScoredCandidate {
  const { number, cosine, bm25, coverage = 0, exactName } = candidate;
  const meaning = Math.min(1, Math.max(0, cosine ?? 0));
  const cosinePart = cosine === undefined ? {} : { cosine };
  if (ranking === 'vector') {
    const weights = { words: 0, meaning: 1, coverage: 0 };
    return { number, score: meaning, parts: { ...cosinePart, weights, exactName } };
  }
  const bm25Part = bm25 === undefined ? {} : { bm25 };
  const words = bm25 === undefined || highest === 0 ? 0 : weighWords(bm25) / (highest * ALL_WEIGHTS);
  if (ranking === 'words') {
    const weights = { words: 1, meaning: 0, coverage: 0 };
    return { number, score: words, parts: { ...bm25Part, words, weights, exactName } };
  }
  const weights = weightsFor(size);
  const sum = weights.words * words + weights.meaning * meaning + weights.coverage * coverage;
  return {
    number,
    score: exactName ? 1 - EXACT_NAME + EXACT_NAME * sum : (1 - EXACT_NAME) * sum,
    parts: { ...cosinePart, ...bm25Part, words, coverage, weights, exactName },
  };
}

function weightsFor(size: number): ScoreParts['weights'] {
  const share = Math.log(size / SMALL) / Math.log(LARGE / SMALL);
  const coverage = COVERAGE * Math.min(1, Math.max(0, share));
  const all = WORDS + MEANING + coverage;
  return { words: WORDS / all, meaning: MEANING / all, coverage: coverage / all };
}

function weighWords(bm25: FieldScores): number {
  return SCORED_FIELDS.reduce((sum, field) => sum + WORD_WEIGHTS[field] * bm25[field], 0);
}
