import { describe, expect, test } from 'vitest';
import { featuresOf } from '../../src/ranking/features.js';
import { lengthOf, mapFeatures, sizeOf, weigh, weightsFor } from '../../src/ranking/fusion.js';
import { parseRankingModel, rankingModel } from '../../src/ranking/ranking-model.js';
import { RANKING_FEATURES } from '../../src/result.js';

const FIELDS = { name: 2, author: 0, labels: 0, description: 4, files: 20 };
const WORDS = { score: 5, fields: FIELDS, coverage: 0.5, fileTerms: 100 };

describe('the features of a question and a skill', () => {
  test('are shares of what the question could reach, and never above 1', () => {
    const candidate = { number: 0, cosine: 0.4, sentence: undefined, words: WORDS };
    expect(featuresOf(candidate, { highest: 10, readable: 1 })).toEqual({
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
      featuresOf({ number: 0, cosine: 0.4, sentence, words: WORDS }, { highest: 1, readable: 1 }).sentence;
    expect(of(0.7)).toBeCloseTo(0.3, 9);
    expect(of(0.2)).toBe(0);
  });

  test('count meaning by the share of the question that the model reads', () => {
    const candidate = { number: 0, cosine: 0.8, sentence: 0.9, words: undefined };
    const { cosine, sentence } = featuresOf(candidate, { highest: 0, readable: 0.25 });
    expect(cosine).toBeCloseTo(0.2, 9);
    expect(sentence).toBeCloseTo(0.025, 9);
  });

  test('suppose some likeness where there is no vector, and nothing else of a skill of which nothing is known', () => {
    const values = featuresOf(
      { number: 0, cosine: undefined, sentence: undefined, words: undefined },
      { highest: 0, readable: 1 },
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
    expect(sizeOf({ skills, words: 1 })).toBeCloseTo(size, 3);
  });

  test('go by its length, which is 0 for eight words and below 0 for fewer', () => {
    expect(lengthOf({ skills: 1, words: 8 })).toBe(0);
    expect(lengthOf({ skills: 1, words: 2 })).toBeLessThan(0);
    expect(lengthOf({ skills: 1, words: 17 })).toBeCloseTo(Math.log(2), 9);
  });

  test('add up to what was fitted for size and length', () => {
    const none = { weight: 0, bySize: 0, byLength: 0 };
    const fitted = {
      ...mapFeatures(() => 0),
      ...Object.fromEntries(RANKING_FEATURES.map((feature) => [feature, none])),
    };
    const weights = { ...fitted, cosine: { weight: 3, bySize: 2, byLength: -1 } } as never;
    expect(weightsFor(weights, { skills: 100_000, words: 17 }).cosine).toBeCloseTo(5 - Math.log(2), 9);
    expect(weightsFor(weights, { skills: 100, words: 8 })).toEqual({ ...mapFeatures(() => 0), cosine: 3 });
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
    expect(Object.keys(weights).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
    for (const { slope, others, confident } of Object.values(calibration)) {
      expect(slope).toBeGreaterThan(0);
      expect(others).toBeGreaterThanOrEqual(0);
      expect(confident > 0 && confident < 0.9).toBe(true);
    }
  });

  test('says which number is missing', () => {
    const { weights, calibration } = rankingModel();
    const text = (model: object): string => JSON.stringify(model);
    expect(() =>
      parseRankingModel(text({ weights: { ...weights, words: { weight: 1, bySize: 0 } }, calibration })),
    ).toThrow('weights.words.byLength of the ranking');
    expect(() => parseRankingModel(text({ weights, calibration: {} }))).toThrow('calibration.hybrid.slope');
  });
});
