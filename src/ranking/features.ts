import { type FieldScores, type RankingFeature, SCORED_FIELDS } from '../result.js';

/** File text of so many distinct terms, or more, is a full one. */
const FULL_FILE_TERMS = 200;

/** A document that may be shown, and what is known of it and the question. */
export interface Candidate {
  readonly number: number;
  /** Cosine of question and document, -1 to 1; undefined where the document has no vector. */
  readonly cosine: number | undefined;
  /** The greatest cosine of one of the question's sentences; undefined where it has one only, or there is no vector. */
  readonly sentence: number | undefined;
  /** What the document has of the question's words; undefined where words do not count. */
  readonly words: CandidateWords | undefined;
}

interface CandidateWords {
  /** BM25 over all fields by their weights. */
  readonly score: number;
  /** BM25 of each field by itself. */
  readonly fields: FieldScores;
  /** Share of the question's words that the document has anywhere, 0 to 1. */
  readonly coverage: number;
  /** Distinct terms of its file text. */
  readonly fileTerms: number;
}

/** What the features of a question's candidates are measured by. */
export interface FeatureScale {
  /** The most that the question's words could reach by BM25. */
  readonly highest: number;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
  /** What is taken for the cosine of a document without a vector, that it may compete by its words. */
  readonly usualCosine: number;
}

/** A number for each feature of a pair of question and document. */
export type FeatureValues = Readonly<Record<RankingFeature, number>>;

/** All are from 0 to 1, but for cosines below 0. */
export function featuresOf(
  { cosine, sentence, words }: Candidate,
  { highest, readable, usualCosine }: FeatureScale,
): FeatureValues {
  const share = (score: number | undefined): number =>
    score === undefined || highest === 0 ? 0 : Math.min(1, score / highest);
  const fields = SCORED_FIELDS.map((field) => [field, share(words?.fields[field])] as const);
  const nearer = sentence === undefined || cosine === undefined ? 0 : Math.max(0, sentence - cosine);
  return {
    cosine: readable * (cosine ?? usualCosine),
    sentence: readable * nearer,
    words: share(words?.score),
    ...(Object.fromEntries(fields) as unknown as FieldScores),
    coverage: words?.coverage ?? 0,
    fileText: Math.min(1, (words?.fileTerms ?? 0) / FULL_FILE_TERMS),
  };
}
