import type { DocumentNumber } from '../../core/index.js';
import type { FieldScores, RankingFeature } from '../../result.js';

/** File text with this many distinct terms or more counts as full. Chosen by hand: about a page of text. */
const FULL_FILE_TERMS = 200;

/** So many stars or more count as 1. Chosen by hand: few repositories of skills have more. */
const MOST_STARS = 100_000;

/** How a document's name relates to the question: it is the question, it begins with the question, or neither. */
export type NameMatch = 'exact' | 'beginning' | 'other';

/** A document that competes for an answer, and what is known about it and the question. */
export interface Candidate {
  readonly document: DocumentNumber;
  readonly nameMatch: NameMatch;
  /** Cosine of question and document, -1 to 1; undefined if the document has no vector. */
  readonly cosine: number | undefined;
  /**
   * The greatest cosine of one of the question's sentences; undefined without a vector, or if there is only one
   * sentence.
   */
  readonly sentence: number | undefined;
  /**
   * Cosine with the weighted mean vector of the best candidates, times the share of these that has vectors: -1 to 1;
   * undefined without a vector, and before the best are known.
   */
  readonly feedback: number | undefined;
  /** Stars of its repository, 0 or more. */
  readonly stars: number;
  /** What the document has of the question's words; undefined if the ranking ignores words. */
  readonly words: CandidateWords | undefined;
}

interface CandidateWords {
  /** BM25 over all fields by their weights. */
  readonly score: number;
  /** BM25 of each field on its own. */
  readonly fields: FieldScores;
  /** Share of the question's words that the document has in any field, weighted by idf: 0 to 1. */
  readonly coverage: number;
  /** Number of distinct terms in its file text. */
  readonly fileTerms: number;
}

/** What the features of all candidates of a question are measured by. */
export interface FeatureScale {
  /** Upper bound of BM25 for the question's words. */
  readonly highest: number;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
  /** The cosine that a document without a vector is assumed to have, so that it can compete by its words. */
  readonly usualCosine: number;
  /** The same of {@link Candidate.feedback}; 0 before that is known. */
  readonly usualFeedback: number;
}

/** A number for each feature. */
export type FeatureValues = Readonly<Record<RankingFeature, number>>;

/**
 * The values of the features of one question and one document. All are from 0 to 1, but those of cosines may be below
 * 0.
 *
 * To add a feature of the ranking:
 *
 * 1. add its name and meaning to `RANKING_FEATURES` (`result.ts`); the compiler then points to its name for people
 *    (`cli/score-reason.ts`)
 * 2. compute its value here, from 0 to 1, from what a {@link Candidate} has
 * 3. fit all weights again with `npm run fit-ranking`, which writes `data/ranking.json`; until then `rankingModel()`
 *    refuses the file
 *
 * By default its weight depends neither on the size of the catalogue nor on the length of the question;
 * `bench/ranking/judged-questions.ts` lists the features whose weights do.
 */
export function featuresOf(
  { cosine, sentence, feedback, stars, words }: Omit<Candidate, 'document' | 'nameMatch'>,
  { highest, readable, usualCosine, usualFeedback }: FeatureScale,
): FeatureValues {
  const share = (score: number | undefined): number =>
    score === undefined || highest === 0 ? 0 : Math.min(1, score / highest);
  const nearer = sentence === undefined || cosine === undefined ? 0 : Math.max(0, sentence - cosine);
  return {
    cosine: readable * (cosine ?? usualCosine),
    sentence: readable * nearer,
    feedback: feedback ?? usualFeedback,
    words: share(words?.score),
    name: share(words?.fields.name),
    author: share(words?.fields.author),
    labels: share(words?.fields.labels),
    description: share(words?.fields.description),
    files: share(words?.fields.files),
    coverage: words?.coverage ?? 0,
    fileText: Math.min(1, (words?.fileTerms ?? 0) / FULL_FILE_TERMS),
    stars: Math.min(1, Math.log1p(stars) / Math.log(MOST_STARS)),
  };
}
