import { describe, expect, test } from 'vitest';
import { type FirstHit, fitCalibration, withProbabilities } from '../../bench/ranking/first-hits.js';
import { calibrationError, randomNumbers, reliabilityBins } from '../../src/evaluation/index.js';
import { probabilityOf } from '../../src/search/ranking/hybrid.js';

const TRUTH = { slope: 1.5, others: 1, bySize: -1.2, intercept: -2, confident: 0, unfit: { weight: 0, bySize: 0 } };

/**
 * First hits in catalogues of two sizes that are right as often as {@link TRUTH} says.
 *
 * @param answered of those that are not right so many have an answer all the same, 0 to 1
 */
function hitsOf(count: number, answered: number): FirstHit[] {
  const random = randomNumbers(2);
  return Array.from({ length: count }, (_, i): FirstHit => {
    const [sum, others, size] = [4 * random(), 2 * random(), i % 2];
    const right = random() < probabilityOf(sum, others, { size, reach: 1 }, TRUTH);
    const served = right || random() < answered;
    return { set: 'made up', foreign: false, rare: false, scale: { size, reach: 1 }, sum, others, right, served };
  });
}

describe('fitting a calibration', () => {
  test('finds the numbers that first hits were drawn by', () => {
    const hits = hitsOf(20_000, 0.5);
    const found = fitCalibration(hits);
    for (const name of ['slope', 'others', 'bySize', 'intercept'] as const) {
      expect(Math.abs(found[name] - TRUTH[name])).toBeLessThan(0.15);
    }
    const bins = reliabilityBins(withProbabilities(hits, found));
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(hits.length);
    expect(calibrationError(bins)).toBeLessThan(0.02);
  });

  test('lets at most one in ten of the questions that nothing answers be confident, and not many fewer', () => {
    const hits = hitsOf(4000, 0.5);
    const found = fitCalibration(hits);
    const unserved = hits.filter(({ served }) => !served);
    const confident = unserved.filter(
      ({ sum, others, scale }) => probabilityOf(sum, others, scale, found) >= found.confident,
    );
    expect(confident.length / unserved.length).toBeLessThanOrEqual(0.1);
    expect(confident.length / unserved.length).toBeGreaterThan(0.05);
  });

  test('doubts one in twenty of the right first hits where all questions have an answer', () => {
    const hits = hitsOf(4000, 1);
    const found = fitCalibration(hits);
    const right = hits.filter((hit) => hit.right);
    const doubted = right.filter(
      ({ sum, others, scale }) => probabilityOf(sum, others, scale, found) < found.confident,
    );
    expect(doubted.length / right.length).toBeCloseTo(0.05, 2);
  });

  test('takes down what first hits come to where nothing answers, by the size of the catalogue', () => {
    // 3 of 10 in a small catalogue and 6 of 10 in a large one, up to a little of chance.
    const hits = hitsOf(2000, 0.5).map((hit, i): FirstHit => {
      return hit.served ? hit : { ...hit, sum: (hit.scale.size === 0 ? 0.3 : 0.6) + 0.01 * ((i % 5) - 2) };
    });
    const { weight, bySize } = fitCalibration(hits).unfit;
    expect(weight).toBeCloseTo(0.3, 2);
    expect(bySize).toBeCloseTo(0.3, 2);
    const oneSize = fitCalibration(hits.filter(({ scale }) => scale.size === 0)).unfit;
    expect(oneSize).toEqual({ weight: expect.closeTo(0.3, 2), bySize: 0 });
  });

  test('takes wrong first hits for these where all questions have an answer', () => {
    const hits = hitsOf(2000, 1).map((hit): FirstHit => ({ ...hit, sum: hit.right ? 0.8 : 0.2 }));
    // A few of both, or nothing would be left to chance.
    const mixed = [...hits, ...hitsOf(2000, 1)];
    const wrong = mixed.filter(({ right }) => !right);
    const mean = (size: number): number => {
      const of = wrong.filter(({ scale }) => scale.size === size);
      return of.reduce((sum, hit) => sum + hit.sum, 0) / of.length;
    };
    const { weight, bySize } = fitCalibration(mixed).unfit;
    expect(weight).toBeCloseTo(mean(0), 6);
    expect(weight + bySize).toBeCloseTo(mean(1), 6);
  });
});
