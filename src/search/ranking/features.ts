import { readFileSync } from 'node:fs';
import type { DocumentNumber } from '../../core/index.js';
import { dataFile } from '../../core/index.js';
import { type FieldScores, RANKING_FEATURES, type RankingFeature } from '../../result.js';
import { once } from '../once.js';
import type { EvidenceWeights } from './alike.js';
import type { DecisionModel } from './decision.js';

/** File text with this many distinct terms or more counts as full. Chosen by hand: about a page of text. */
const FULL_FILE_TERMS = 200;

/** So many stars or more count as 1. Chosen by hand: few repositories of skills have more. */
export const MOST_STARS = 100_000;

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
  /** What the document has of the question's words, and of what these are in English; undefined if words are ignored. */
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
 *    (`cli/result-lines.ts`)
 * 2. compute its value here, from 0 to 1, from what a {@link Candidate} has
 * 3. fit all weights again with `npm run fit-ranking`, which writes `data/ranking.json`; until then the tests
 *    refuse the file
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

/**
 * The weight of a feature. For a question of relative length `length` (see {@link lengthOf}) to a catalogue of relative
 * size `size` (see {@link sizeOf}) it is `weight + bySize * size + byLength * length`.
 */
interface FeatureWeight {
  readonly weight: number;
  readonly bySize: number;
  readonly byLength: number;
}

/** The weights of a linear score. */
export type FusionWeights = Readonly<Record<RankingFeature, FeatureWeight>>;

/**
 * The weights that `bench/fit-ranking.ts` finds: for questions that the model reads, for those that are also
 * asked by what their words are in English, and for those in a language or a script that the model was not made for.
 */
export interface FittedWeights {
  /** Set by hand, and without feedback: they choose the skills that feedback comes from. */
  readonly first: FusionWeights;
  readonly readable: FusionWeights;
  readonly glossed: FusionWeights;
  readonly foreign: FusionWeights;
}

/** What the weights depend on. */
export interface QuestionKind {
  /** Number of skills in the catalogue. */
  readonly skills: number;
  /** Number of words in the question without stop words. Two characters of an unspaced script count as one word. */
  readonly words: number;
  /** Share of the question that is in a script which the model can read, 0 to 1. */
  readonly readable: number;
  /** Whether the model reads the language of the question, or what that is in English; true without a model. */
  readonly inModelLanguage: boolean;
  /** Whether the question is also asked by what its words are in English. */
  readonly glossed?: boolean;
}

/**
 * The sizes of catalogue between which weights change. Chosen by hand: the catalogues that the weights are fitted to
 * have from about a hundred to 94,254 skills (bench/README.md). Beyond them there is nothing to fit to, so weights stay
 * the same.
 */
export const SMALL = 100;
export const LARGE = 100_000;

/** The number of words at which the length of a question changes no weight. Fixes only what `weight` stands for. */
const USUAL_WORDS = 8;

/** The lengths of question between which weights change. Chosen by hand, for the same reason as {@link SMALL}. */
export const FEWEST_WORDS = 2;
export const MOST_WORDS = 32;

/**
 * The size of a catalogue on a logarithmic scale: 0 for {@link SMALL} or less, 1 for {@link LARGE} or more. It matters
 * because meaning tells a few skills apart, while among many thousands a lot of them mean nearly the same.
 */
export function sizeOf({ skills }: Pick<QuestionKind, 'skills'>): number {
  const share = Math.log(Math.max(1, skills) / SMALL) / Math.log(LARGE / SMALL);
  return Math.min(1, Math.max(0, share));
}

/** The length of a question on a logarithmic scale: 0 for {@link USUAL_WORDS}, below 0 for fewer words. */
export function lengthOf({ words }: Pick<QuestionKind, 'words'>): number {
  return Math.log((1 + Math.min(MOST_WORDS, Math.max(FEWEST_WORDS, words))) / (1 + USUAL_WORDS));
}

/** How far a question is one that the model was made for, 0 to 1. */
function ownShare({ readable, inModelLanguage }: Pick<QuestionKind, 'readable' | 'inModelLanguage'>): number {
  return inModelLanguage ? readable : 0;
}

/** The weight of each feature for one question. None is below 0, so that no skill loses by having a word. */
export function weightsFor(weights: Omit<FittedWeights, 'first'>, kind: QuestionKind): FeatureValues {
  const [size, length] = [sizeOf(kind), lengthOf(kind)];
  const own = ownShare(kind);
  const read = kind.glossed ? weights.glossed : weights.readable;
  const of = (fitted: FusionWeights, feature: RankingFeature): number => {
    const { weight, bySize, byLength } = fitted[feature];
    return Math.max(0, weight + bySize * size + byLength * length);
  };
  return mapFeatures((feature) => own * of(read, feature) + (1 - own) * of(weights.foreign, feature));
}

/** The linear score of one document: the sum of its features by their weights. */
export function weigh(values: FeatureValues, weights: FeatureValues): number {
  let sum = 0;
  for (const feature of RANKING_FEATURES) sum += weights[feature] * values[feature];
  return sum;
}

/**
 * Features that are 0 for most right answers: few questions name an author or a label, or consist of several sentences,
 * and few skills have stars. They would raise {@link reachOf} above what any ordinary skill comes to.
 */
const RARE: ReadonlySet<RankingFeature> = new Set(['sentence', 'author', 'labels', 'stars']);

/** About the highest sum that a skill can have: that of one with the value 1 in every feature which is not rare. */
export function reachOf(weights: FeatureValues): number {
  return RANKING_FEATURES.reduce((sum, feature) => sum + (RARE.has(feature) ? 0 : weights[feature]), 0);
}

/** A number for each feature. */
export function mapFeatures(numberOf: (feature: RankingFeature) => number): FeatureValues {
  // An object made of all names has all of them, which the type of `fromEntries` does not say.
  return Object.fromEntries(
    RANKING_FEATURES.map((feature) => [feature, numberOf(feature)]),
  ) as unknown as FeatureValues;
}

/** The numbers that were fitted to judged questions. */
export interface RankingModel {
  readonly weights: FittedWeights;
  readonly evidence: EvidenceWeights;
  readonly decision: DecisionModel;
}

/** The file with these numbers, which `npm run fit-ranking` writes. */
export const RANKING_MODEL: URL = dataFile('ranking.json');

/** The numbers that come with the library. The first call reads the file. */
export const rankingModel: () => RankingModel = once(() => JSON.parse(readFileSync(RANKING_MODEL, 'utf8')));
