import { RANKING_FEATURES, type RankingFeature } from '../result.js';
import type { FeatureValues } from './features.js';

/**
 * What a feature counts. In a question of `length` to a catalogue of `size` (see {@link QuestionKind}) it is
 * `weight + bySize * size + byLength * length`.
 */
interface FeatureWeight {
  readonly weight: number;
  readonly bySize: number;
  readonly byLength: number;
}

/** Weights of a linear score. */
export type FusionWeights = Readonly<Record<RankingFeature, FeatureWeight>>;

/** What `bench/fit-ranking.ts` finds: for questions that the model reads, and for those that it cannot read at all. */
export interface FittedWeights {
  readonly readable: FusionWeights;
  readonly unreadable: FusionWeights;
}

/** What the weights depend on. */
export interface QuestionKind {
  /** Skills in the catalogue. */
  readonly skills: number;
  /** Words of the question, without stop words; two characters of Chinese or the like for one. */
  readonly words: number;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
}

/** Catalogues of so many skills or less are small, of so many or more large; between them the logarithm counts. */
export const SMALL = 100;
export const LARGE = 100_000;

/** Words of a question that is neither long nor short; fewer and more words than the others make it no shorter or longer. */
const USUAL_WORDS = 8;
export const FEWEST_WORDS = 2;
export const MOST_WORDS = 32;

/**
 * Where there are few skills, meaning tells them apart; among a hundred thousand many mean nearly the same.
 *
 * @returns 0 to 1
 */
export function sizeOf({ skills }: Pick<QuestionKind, 'skills'>): number {
  const share = Math.log(Math.max(1, skills) / SMALL) / Math.log(LARGE / SMALL);
  return Math.min(1, Math.max(0, share));
}

/** The logarithm of how much longer a question is than usual: 0 for {@link USUAL_WORDS}, below 0 for a shorter one. */
export function lengthOf({ words }: Pick<QuestionKind, 'words'>): number {
  return Math.log((1 + Math.min(MOST_WORDS, Math.max(FEWEST_WORDS, words))) / (1 + USUAL_WORDS));
}

/** What each feature counts in one question: 0 or more, so that no skill loses by having a word. */
export function weightsFor(weights: FittedWeights, kind: QuestionKind): FeatureValues {
  const [size, length, { readable }] = [sizeOf(kind), lengthOf(kind), kind];
  const of = (fitted: FusionWeights, feature: RankingFeature): number => {
    const { weight, bySize, byLength } = fitted[feature];
    return Math.max(0, weight + bySize * size + byLength * length);
  };
  return mapFeatures(
    (feature) => readable * of(weights.readable, feature) + (1 - readable) * of(weights.unreadable, feature),
  );
}

/** The linear score of one document. */
export function weigh(values: FeatureValues, weights: FeatureValues): number {
  let sum = 0;
  for (const feature of RANKING_FEATURES) sum += weights[feature] * values[feature];
  return sum;
}

/** Few questions are about these: a skill that fits has none of them as a rule. */
const RARE: ReadonlySet<RankingFeature> = new Set(['sentence', 'author', 'labels']);

/** What the sum of a skill that fits in every way comes to about. */
export function reachOf(weights: FeatureValues): number {
  return RANKING_FEATURES.reduce((sum, feature) => sum + (RARE.has(feature) ? 0 : weights[feature]), 0);
}

export function mapFeatures(numberOf: (feature: RankingFeature) => number): FeatureValues {
  return Object.fromEntries(
    RANKING_FEATURES.map((feature) => [feature, numberOf(feature)]),
  ) as unknown as FeatureValues;
}
