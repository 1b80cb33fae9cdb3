import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RANKING_FEATURES, type RankingFeature } from '../../../src/result.js';
import type { Candidate, FusionWeights, NameMatch, RankingModel } from '../../../src/search/ranking/features.js';
import {
  HybridScorer,
  MOST_CERTAIN,
  type QuestionContext,
  type ScoredCandidate,
} from '../../../src/search/ranking/hybrid.js';

const CONTEXT: QuestionContext = {
  ranking: 'hybrid',
  highest: 50,
  readable: 1,
  inModelLanguage: true,
  usualCosine: 0.3,
  usualFeedback: 0,
  skills: 5000,
  words: 4,
};
const FIELDS = { name: 0, author: 0, labels: 0, description: 0, files: 0 };

function candidate(cosine: number, score: number, nameMatch: NameMatch = 'other'): Candidate {
  const words = { score, fields: { ...FIELDS, description: score }, coverage: score / 50, fileTerms: 0 };
  return { document: 0, nameMatch, cosine, sentence: undefined, feedback: undefined, stars: 0, words };
}

const NAMES: readonly NameMatch[] = ['other', 'beginning', 'exact'];

describe('the score of a hit', () => {
  test('falls with rank, names first, and is from 0 to 1, whatever the candidates are', () => {
    const candidates = fc.array(
      fc.record({
        cosine: fc.double({ min: -1, max: 1, noNaN: true }),
        score: fc.double({ min: 0, max: 50, noNaN: true }),
        name: fc.constantFrom(...NAMES),
      }),
      { minLength: 1, maxLength: 15 },
    );
    fc.assert(
      fc.property(candidates, (all) => {
        const scorer = new HybridScorer(CONTEXT);
        const scored = all
          .map(({ cosine, score, name }): ScoredCandidate => scorer.score(candidate(cosine, score, name)))
          .sort((a, b) => b.nameRank - a.nameRank || b.sum - a.sum);
        const scores = scored.map(scorer.calibrate(scored).scoreOf);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
        for (const [i, { nameRank }] of scored.entries()) {
          expect(scores[i]).toBeGreaterThanOrEqual([0, MOST_CERTAIN, 0.99][nameRank] as number);
          expect(scores[i]).toBeLessThanOrEqual([MOST_CERTAIN, 0.99, 1][nameRank] as number);
        }
      }),
    );
  });

  test('depends on how near the others come', () => {
    const scorer = new HybridScorer(CONTEXT);
    const [near, far] = [candidate(0.7, 20), candidate(0.1, 0)].map((one) => scorer.score(one)) as [
      ScoredCandidate,
      ScoredCandidate,
    ];
    const alone = scorer.calibrate([near, far, far, far]).scoreOf(near);
    const among = scorer.calibrate([near, near, near, near]).scoreOf(near);
    expect(among).not.toBe(alone);
  });

  test('is the cosine by meaning alone, and the share of what words could reach by words alone', () => {
    const of = (ranking: 'vector' | 'words', cosine: number): number => {
      const scorer = new HybridScorer({ ...CONTEXT, ranking });
      const scored = scorer.score(candidate(cosine, 20, 'exact'));
      return scorer.calibrate([scored]).scoreOf(scored);
    };
    expect(of('vector', 0.6)).toBe(0.6);
    expect(of('vector', -0.6)).toBe(0);
    expect(of('words', 0.6)).toBe(0.4);
  });

  test('is of no confidence where there is nothing', () => {
    expect(new HybridScorer(CONTEXT).calibrate([]).confident).toBe(false);
  });
});

/** Numbers that tell the parts of a model from each other. */
function modelOf(): RankingModel {
  const only = (feature: RankingFeature): FusionWeights => {
    const none = Object.fromEntries(RANKING_FEATURES.map((one) => [one, { weight: 0, bySize: 0, byLength: 0 }]));
    return { ...(none as FusionWeights), [feature]: { weight: 10, bySize: 0, byLength: 0 } };
  };
  const calibration = { slope: 1, others: 1, bySize: 0, intercept: 0, confident: 0.5, unfit: { weight: 0, bySize: 0 } };
  return {
    weights: { first: only('cosine'), readable: only('feedback'), foreign: only('description') },
    calibration: {
      hybrid: { ...calibration, intercept: 1 },
      foreign: { ...calibration, intercept: -1 },
      vector: calibration,
      words: calibration,
    },
  };
}

describe('the sum and score of a question', () => {
  const one: Candidate = { ...candidate(0.4, 30), feedback: 0.7 };
  const sumOf = (context: QuestionContext, pass?: 'first' | 'last'): number =>
    new HybridScorer(context, pass, modelOf()).score(one).sum;
  const probabilityFor = (context: QuestionContext): number => {
    const scorer = new HybridScorer(context, 'last', modelOf());
    const scored = { ...scorer.score(one), sum: 0 };
    return scorer.calibrate([scored]).partsOf(scored).probability;
  };
  const logistic = (x: number): number => MOST_CERTAIN / (1 + Math.exp(-x));

  test('have no feedback in the first pass, and have it in the last', () => {
    expect(sumOf(CONTEXT, 'first')).toBeCloseTo(4, 9);
    expect(sumOf(CONTEXT)).toBeCloseTo(7, 9);
  });

  test.each([
    ['in another language than the model', { inModelLanguage: false }],
    ['in letters that the model cannot read', { readable: 0 }],
  ])('go %s by numbers of their own, in both passes', (_, more) => {
    const context = { ...CONTEXT, ...more };
    expect(sumOf(context, 'first')).toBeCloseTo(6, 9);
    expect(sumOf(context)).toBeCloseTo(6, 9);
    expect(probabilityFor(context)).toBeCloseTo(logistic(-1), 9);
    expect(probabilityFor(CONTEXT)).toBeCloseTo(logistic(1), 9);
  });

  test('go by meaning or words alone by the same numbers in every language', () => {
    for (const ranking of ['vector', 'words'] as const) {
      const context = { ...CONTEXT, ranking };
      expect(probabilityFor({ ...context, inModelLanguage: false, readable: 0 })).toBe(probabilityFor(context));
    }
  });

  test('have the calibration of the greater part of a question of two kinds of letters', () => {
    expect(probabilityFor({ ...CONTEXT, readable: 0.5 })).toBeCloseTo(logistic(1), 9);
    expect(probabilityFor({ ...CONTEXT, readable: 0.49 })).toBeCloseTo(logistic(-1), 9);
  });

  test('are explained by every feature, also by those that count nothing', () => {
    const scorer = new HybridScorer(CONTEXT, 'last', modelOf());
    const { features = [] } = scorer.calibrate([]).partsOf(scorer.score(one));
    expect(features.map(({ feature }) => feature).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
    expect(features[0]).toEqual({ feature: 'feedback', value: 0.7, weight: 10, share: 1 });
  });
});
