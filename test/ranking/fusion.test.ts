import { describe, expect, test } from 'vitest';
import { type FeatureValues, featuresOf } from '../../src/ranking/features.js';
import {
  type FusionWeights,
  lengthOf,
  mapFeatures,
  reachOf,
  sizeOf,
  weigh,
  weightsFor,
} from '../../src/ranking/fusion.js';
import { parseRankingModel, rankingModel } from '../../src/ranking/ranking-model.js';
import { RANKING_FEATURES } from '../../src/result.js';

const FIELDS = { name: 2, author: 0, labels: 0, description: 4, files: 20 };
const WORDS = { score: 5, fields: FIELDS, coverage: 0.5, fileTerms: 100 };

describe('the features of a question and a skill', () => {
  test('are shares of what the question could reach, and never above 1', () => {
    const candidate = { cosine: 0.4, sentence: undefined, words: WORDS };
    expect(featuresOf(candidate, { highest: 10, readable: 1, usualCosine: 0.3 })).toEqual({
      cosine: 0.4,
      sentence: 0,
      words: 0.5,
      name: 0.2,
      author: 0,
      labels: 0,
      description: 0.4,
      files: 1,
      coverage: 0.5,
      fileText: 0.5,
    });
  });

  test('tell how much nearer one sentence is than the whole, and nothing where none is', () => {
    const of = (sentence: number): number =>
      featuresOf({ cosine: 0.4, sentence, words: WORDS }, { highest: 1, readable: 1, usualCosine: 0.3 }).sentence;
    expect(of(0.7)).toBeCloseTo(0.3, 9);
    expect(of(0.2)).toBe(0);
  });

  test('count meaning by the share of the question that the model reads', () => {
    const candidate = { cosine: 0.8, sentence: 0.9, words: undefined };
    const { cosine, sentence } = featuresOf(candidate, { highest: 0, readable: 0.25, usualCosine: 0.3 });
    expect(cosine).toBeCloseTo(0.2, 9);
    expect(sentence).toBeCloseTo(0.025, 9);
  });

  test('suppose some likeness where there is no vector, and nothing else of a skill of which nothing is known', () => {
    const values = featuresOf(
      { cosine: undefined, sentence: undefined, words: undefined },
      { highest: 0, readable: 1, usualCosine: 0.3 },
    );
    expect(values).toEqual(mapFeatures((feature) => (feature === 'cosine' ? 0.3 : 0)));
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

  const none = Object.fromEntries(
    RANKING_FEATURES.map((feature) => [feature, { weight: 0, bySize: 0, byLength: 0 }]),
  ) as FusionWeights;

  test('add up to what was fitted for size and length, and are never below 0', () => {
    const readable = { ...none, cosine: { weight: 3, bySize: 2, byLength: -1 } };
    const weights = { readable, unreadable: none };
    const of = (skills: number, words: number): FeatureValues => weightsFor(weights, { skills, words, readable: 1 });
    expect(of(100_000, 17).cosine).toBeCloseTo(5 - Math.log(2), 9);
    expect(of(100, 8)).toEqual({ ...mapFeatures(() => 0), cosine: 3 });
    const less = { ...none, cosine: { weight: 1, bySize: 0, byLength: -9 } };
    expect(weightsFor({ readable: less, unreadable: none }, { skills: 1, words: 32, readable: 1 }).cosine).toBe(0);
  });

  test('lie between those of questions that the model reads and of those that it does not', () => {
    const readable = { ...none, words: { weight: 3, bySize: 0, byLength: 0 } };
    const unreadable = { ...none, words: { weight: 7, bySize: 0, byLength: 0 } };
    expect(weightsFor({ readable, unreadable }, { skills: 1, words: 1, readable: 0.75 }).words).toBe(4);
  });

  test('that come with the library let no skill lose by having a word', () => {
    const { weights } = rankingModel();
    for (const skills of [1, 1000, 1_000_000]) {
      for (const words of [1, 2, 4, 8, 64]) {
        for (const readable of [0, 1]) {
          const of = weightsFor(weights, { skills, words, readable });
          expect(Math.min(...Object.values(of))).toBeGreaterThanOrEqual(0);
          expect(of.words + of.coverage).toBeGreaterThan(1);
        }
      }
    }
  });

  test('reach what a skill comes to that has all but what few questions are about', () => {
    expect(reachOf(mapFeatures(() => 1))).toBe(7);
    expect(reachOf(mapFeatures((feature) => (feature === 'author' || feature === 'words' ? 4 : 0)))).toBe(4);
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
    for (const of of [weights.readable, weights.unreadable]) {
      expect(Object.keys(of).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
    }
    for (const { slope, others, confident } of Object.values(calibration)) {
      expect(slope).toBeGreaterThan(0);
      expect(others).toBeGreaterThanOrEqual(0);
      expect(confident > 0 && confident < 0.9).toBe(true);
    }
  });

  test('says which number is missing', () => {
    const { weights, calibration } = rankingModel();
    const text = (model: object): string => JSON.stringify(model);
    const readable = { ...weights.readable, words: { weight: 1, bySize: 0 } };
    expect(() => parseRankingModel(text({ weights: { ...weights, readable }, calibration }))).toThrow(
      'weights.readable.words.byLength of the ranking',
    );
    expect(() => parseRankingModel(text({ weights, calibration: {} }))).toThrow('calibration.hybrid.slope');
  });
});
