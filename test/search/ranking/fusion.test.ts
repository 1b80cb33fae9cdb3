import { describe, expect, test } from 'vitest';
import { RANKING_FEATURES } from '../../../src/result.js';
import {
  type FeatureValues,
  type FusionWeights,
  featuresOf,
  lengthOf,
  mapFeatures,
  parseRankingModel,
  rankingModel,
  reachOf,
  sizeOf,
  weigh,
  weightsFor,
} from '../../../src/search/ranking/features.js';

const WORDS = {
  score: 5,
  fields: { name: 2, author: 0, labels: 0, description: 4, files: 20 },
  coverage: 0.5,
  fileTerms: 100,
};
const CANDIDATE = { cosine: 0.4, sentence: undefined, feedback: undefined, stars: 0, words: WORDS };
const SCALE = { highest: 10, readable: 1, usualCosine: 0.3, usualFeedback: 0.2 };

const NONE: FeatureValues = mapFeatures(() => 0);
const NO_WEIGHTS = Object.fromEntries(
  RANKING_FEATURES.map((feature) => [feature, { weight: 0, bySize: 0, byLength: 0 }]),
) as FusionWeights;

describe('the features of a question and a skill', () => {
  test('are shares of what the question could reach, and never above 1', () => {
    expect(featuresOf({ ...CANDIDATE, feedback: 0.6, stars: 316 }, SCALE)).toEqual({
      cosine: 0.4,
      sentence: 0,
      feedback: 0.6,
      words: 0.5,
      name: 0.2,
      author: 0,
      labels: 0,
      description: 0.4,
      files: 1,
      coverage: 0.5,
      fileText: 0.5,
      stars: expect.closeTo(0.5, 3),
    });
  });

  test('tell how much nearer one sentence is than the whole, and nothing where none is', () => {
    const of = (sentence: number): number => featuresOf({ ...CANDIDATE, sentence }, SCALE).sentence;
    expect(of(0.7)).toBeCloseTo(0.3, 9);
    expect(of(0.2)).toBe(0);
  });

  test('count meaning by the share of the question that the model reads, but not what is near to the best', () => {
    const candidate = { ...CANDIDATE, cosine: 0.8, sentence: 0.9, feedback: 0.4 };
    const { cosine, sentence, feedback } = featuresOf(candidate, { ...SCALE, readable: 0.25 });
    expect(cosine).toBeCloseTo(0.2, 9);
    expect(sentence).toBeCloseTo(0.025, 9);
    expect(feedback).toBe(0.4);
  });

  test('suppose some likeness where there is no vector, and nothing else of a skill of which nothing is known', () => {
    const nothing = { cosine: undefined, sentence: undefined, feedback: undefined, stars: 0, words: undefined };
    const usual = { cosine: 0.3, feedback: 0.2 } as const;
    expect(featuresOf(nothing, { ...SCALE, highest: 0 })).toEqual(
      mapFeatures((feature) => ({ ...NONE, ...usual })[feature]),
    );
  });

  test('count stars from 0 to 1, more for more, and all above a hundred thousand the same', () => {
    const of = (stars: number): number => featuresOf({ ...CANDIDATE, stars }, SCALE).stars;
    expect([0, 100_000, 1e9].map(of)).toEqual([0, 1, 1]);
    const some = [1, 10, 1000, 50_000].map(of);
    expect(some).toEqual([...new Set(some)].toSorted((a, b) => a - b));
    for (const share of some) expect(share > 0 && share < 1).toBe(true);
  });
});

describe('the weights of a question', () => {
  test.each([
    [1, 0],
    [100, 0],
    [3162, 0.5],
    [100_000, 1],
    [5_000_000, 1],
  ])('of a catalogue of %i skills go by its size of %f', (skills, size) => {
    expect(sizeOf({ skills })).toBeCloseTo(size, 3);
  });

  test('go by its length, which is 0 for eight words and below 0 for fewer', () => {
    expect(lengthOf({ words: 8 })).toBe(0);
    expect(lengthOf({ words: 2 })).toBeLessThan(0);
    expect(lengthOf({ words: 17 })).toBeCloseTo(Math.log(2), 9);
  });

  test('take a question of one word for two, and of a hundred for thirty-two', () => {
    expect(lengthOf({ words: 0 })).toBe(lengthOf({ words: 2 }));
    expect(lengthOf({ words: 100 })).toBe(lengthOf({ words: 32 }));
  });

  test('add up to what was fitted for size and length, and are never below 0', () => {
    const readable = { ...NO_WEIGHTS, cosine: { weight: 3, bySize: 2, byLength: -1 } };
    const of = (skills: number, words: number, by: FusionWeights = readable): FeatureValues =>
      weightsFor({ readable: by, foreign: NO_WEIGHTS }, { skills, words, readable: 1, inModelLanguage: true });
    expect(of(100_000, 17).cosine).toBeCloseTo(5 - Math.log(2), 9);
    expect(of(100, 8)).toEqual({ ...NONE, cosine: 3 });
    expect(of(1, 32, { ...NO_WEIGHTS, cosine: { weight: 1, bySize: 0, byLength: -9 } }).cosine).toBe(0);
  });

  test.each([
    ['in letters that the model reads', { readable: 1, inModelLanguage: true }, 3],
    ['of which the model reads three quarters', { readable: 0.75, inModelLanguage: true }, 4],
    ['in letters that the model does not read', { readable: 0, inModelLanguage: true }, 7],
    ['in another language, though in the same letters', { readable: 1, inModelLanguage: false }, 7],
  ])('are, %s, those of its kind', (_, kind, expected) => {
    const readable = { ...NO_WEIGHTS, words: { weight: 3, bySize: 0, byLength: 0 } };
    const foreign = { ...NO_WEIGHTS, words: { weight: 7, bySize: 0, byLength: 0 } };
    expect(weightsFor({ readable, foreign }, { skills: 1, words: 1, ...kind }).words).toBe(expected);
  });

  test('that come with the library let no skill lose by having a word', () => {
    const { weights } = rankingModel();
    for (const skills of [1, 1000, 1_000_000]) {
      for (const words of [1, 2, 4, 8, 64]) {
        for (const readable of [0, 1]) {
          const of = weightsFor(weights, { skills, words, readable, inModelLanguage: true });
          expect(Math.min(...Object.values(of))).toBeGreaterThanOrEqual(0);
          expect(of.words + of.coverage).toBeGreaterThan(1);
        }
      }
    }
  });

  test('reach what a skill comes to that has all but what few questions are about', () => {
    expect(reachOf(mapFeatures(() => 1))).toBe(8);
    expect(
      reachOf(mapFeatures((feature) => (feature === 'author' || feature === 'stars' || feature === 'words' ? 4 : 0))),
    ).toBe(4);
  });

  test('make a sum of features', () => {
    const values = mapFeatures((feature) => (feature === 'words' ? 0.5 : feature === 'cosine' ? 0.25 : 0));
    expect(
      weigh(
        values,
        mapFeatures((feature) => (feature === 'words' ? 4 : 8)),
      ),
    ).toBe(4);
  });
});

describe('the data file of the ranking', () => {
  test('has every weight and calibration', () => {
    const { weights, calibration } = rankingModel();
    for (const of of [weights.first, weights.readable, weights.foreign]) {
      expect(Object.keys(of).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
    }
    for (const { slope, others, confident } of Object.values(calibration)) {
      expect(slope).toBeGreaterThan(0);
      expect(Number.isFinite(others)).toBe(true);
      expect(confident > 0 && confident < 0.9).toBe(true);
    }
  });

  test('has nothing of feedback in the weights that choose what it comes from', () => {
    expect(rankingModel().weights.first.feedback).toEqual({ weight: 0, bySize: 0, byLength: 0 });
  });

  test('says which number is missing', () => {
    const { weights, calibration } = rankingModel();
    const text = (model: object): string => JSON.stringify(model);
    const readable = { ...weights.readable, words: { weight: 1, bySize: 0 } };
    expect(() => parseRankingModel(text({ weights: { ...weights, readable }, calibration }))).toThrow(
      'weights.readable.words.byLength of the ranking',
    );
    expect(() => parseRankingModel(text({ weights, calibration: {} }))).toThrow('calibration.hybrid.slope');
    const { foreign: _, ...own } = weights;
    expect(() => parseRankingModel(text({ weights: own, calibration }))).toThrow('weights.foreign.cosine.weight');
    const { unfit: __, ...of } = calibration.foreign;
    expect(() => parseRankingModel(text({ weights, calibration: { ...calibration, foreign: of } }))).toThrow(
      'calibration.foreign.unfit.weight',
    );
  });
});
