import { RANKING_FEATURES, type RankingFeature } from '../../result.js';
import type { FeatureValues } from './features.js';

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
 * The weights that `bench/fit-ranking.ts` finds: for questions that the model reads, and for those in a language or a
 * script that it was not made for.
 */
export interface FittedWeights {
  /** Set by hand, and without feedback: they choose the skills that feedback comes from. */
  readonly first: FusionWeights;
  readonly readable: FusionWeights;
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
  /** Whether the model reads the language of the question; true without a model. */
  readonly inModelLanguage: boolean;
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
export function ownShare({ readable, inModelLanguage }: Pick<QuestionKind, 'readable' | 'inModelLanguage'>): number {
  return inModelLanguage ? readable : 0;
}

/** The weight of each feature for one question. None is below 0, so that no skill loses by having a word. */
export function weightsFor({ readable, foreign }: Omit<FittedWeights, 'first'>, kind: QuestionKind): FeatureValues {
  const [size, length] = [sizeOf(kind), lengthOf(kind)];
  const own = ownShare(kind);
  const of = (fitted: FusionWeights, feature: RankingFeature): number => {
    const { weight, bySize, byLength } = fitted[feature];
    return Math.max(0, weight + bySize * size + byLength * length);
  };
  return mapFeatures((feature) => own * of(readable, feature) + (1 - own) * of(foreign, feature));
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
