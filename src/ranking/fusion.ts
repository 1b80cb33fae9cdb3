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

/** Weights of a linear score; `bench/fit-ranking.ts` finds them. */
export type FusionWeights = Readonly<Record<RankingFeature, FeatureWeight>>;

/** What the weights depend on. */
export interface QuestionKind {
  /** Skills in the catalogue. */
  readonly skills: number;
  /** Words of the question, without stop words. */
  readonly words: number;
}

/** Catalogues of so many skills or less are small, of so many or more large; between them the logarithm counts. */
const SMALL = 100;
const LARGE = 100_000;

/** Words of a question that is neither long nor short. */
const USUAL_WORDS = 8;

/**
 * Where there are few skills, meaning tells them apart; among a hundred thousand many mean nearly the same.
 *
 * @returns 0 to 1
 */
export function sizeOf({ skills }: QuestionKind): number {
  const share = Math.log(Math.max(1, skills) / SMALL) / Math.log(LARGE / SMALL);
  return Math.min(1, Math.max(0, share));
}

/** The logarithm of how much longer a question is than usual: 0 for {@link USUAL_WORDS}, below 0 for a shorter one. */
export function lengthOf({ words }: QuestionKind): number {
  return Math.log((1 + words) / (1 + USUAL_WORDS));
}

/** What each feature counts in one question. */
export function weightsFor(weights: FusionWeights, kind: QuestionKind): FeatureValues {
  const [size, length] = [sizeOf(kind), lengthOf(kind)];
  return mapFeatures((feature) => {
    const { weight, bySize, byLength } = weights[feature];
    return weight + bySize * size + byLength * length;
  });
}

/** The linear score of one document. */
export function weigh(values: FeatureValues, weights: FeatureValues): number {
  let sum = 0;
  for (const feature of RANKING_FEATURES) sum += weights[feature] * values[feature];
  return sum;
}

export function mapFeatures(numberOf: (feature: RankingFeature) => number): FeatureValues {
  return Object.fromEntries(
    RANKING_FEATURES.map((feature) => [feature, numberOf(feature)]),
  ) as unknown as FeatureValues;
}
