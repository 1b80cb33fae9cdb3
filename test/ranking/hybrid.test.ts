import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConfident, MOST_CERTAIN, meanOfOthers, probabilityOf } from '../../src/ranking/calibration.js';
import type { Candidate, NameMatch } from '../../src/ranking/features.js';
import { HybridScorer, type QuestionContext, type ScoredCandidate } from '../../src/ranking/hybrid.js';

const CONTEXT: QuestionContext = {
  ranking: 'hybrid',
  highest: 50,
  readable: 1,
  language: 'en',
  inModelLanguage: true,
  usualCosine: 0.3,
  skills: 5000,
  words: 4,
};
const FIELDS = { name: 0, author: 0, labels: 0, description: 0, files: 0 };

function candidate(cosine: number, score: number, nameMatch: NameMatch = 'other'): Candidate {
  const words = { score, fields: { ...FIELDS, description: score }, coverage: score / 50, fileTerms: 0 };
  return { document: 0, nameMatch, cosine, sentence: undefined, words };
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

  test('is less where others come as near', () => {
    const scorer = new HybridScorer(CONTEXT);
    const [near, far] = [candidate(0.7, 20), candidate(0.1, 0)].map((one) => scorer.score(one)) as [
      ScoredCandidate,
      ScoredCandidate,
    ];
    const alone = scorer.calibrate([near, far, far, far]).scoreOf(near);
    const among = scorer.calibrate([near, near, near, near]).scoreOf(near);
    expect(among).toBeLessThan(alone);
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

const SMALL = { size: 0, reach: 10 };
const LARGE = { size: 1, reach: 10 };

describe('the probability of a first hit', () => {
  const calibration = { slope: 2, others: 1, intercept: -1, confident: 0.2, near: { weight: 0.5, bySize: 0.3 } };

  test('is a logistic function of its sum and the mean of the next nine', () => {
    expect(meanOfOthers([9, ...Array<number>(20).fill(3)], SMALL, calibration)).toBe(3);
    expect(meanOfOthers([9, 6, 5], SMALL, calibration)).toBeCloseTo((6 + 5 + 7 * 3.75) / 9, 9);
    expect(meanOfOthers([9], LARGE, calibration)).toBe(6);
    expect(probabilityOf(2, 3, calibration)).toBe(MOST_CERTAIN / 2);
    expect(probabilityOf(1000, 0, calibration)).toBe(MOST_CERTAIN);
    expect(probabilityOf(-1000, 0, calibration)).toBe(0);
  });

  test('makes an answer confident where it is high, or where many come very near', () => {
    expect(isConfident(2, 3, SMALL, calibration)).toBe(true);
    expect(isConfident(2, 8, SMALL, calibration)).toBe(false);
    expect(isConfident(6, 20, SMALL, calibration)).toBe(true);
    expect(isConfident(6, 20, LARGE, calibration)).toBe(false);
    expect(isConfident(8, 20, LARGE, calibration)).toBe(true);
  });
});
