import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Calibration, MOST_CERTAIN, meanOfOthers, probabilityOf } from '../../src/ranking/calibration.js';
import { rankingModel } from '../../src/ranking/ranking-model.js';

const SMALL = { size: 0, reach: 10 };
const LARGE = { size: 1, reach: 10 };
const CALIBRATION: Calibration = {
  slope: 2,
  others: 1,
  bySize: -3,
  intercept: -1,
  confident: 0.2,
  unfit: { weight: 0.5, bySize: 0.3 },
};

/** Sums of hits, best first. */
const sums = fc
  .array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 1, maxLength: 9 })
  .map((all) => all.toSorted((a, b) => b - a));

describe('the probability of a first hit', () => {
  test('is a logistic function of its sum, the mean of the next nine, and the size of the catalogue', () => {
    expect(meanOfOthers([9, ...Array<number>(20).fill(3)], SMALL, CALIBRATION)).toBe(3);
    expect(probabilityOf(2, 3, 0, CALIBRATION)).toBe(MOST_CERTAIN / 2);
    expect(probabilityOf(2, 3, 1, CALIBRATION)).toBeCloseTo(MOST_CERTAIN / (1 + Math.exp(3)), 12);
    expect(probabilityOf(1000, 0, 0, CALIBRATION)).toBe(MOST_CERTAIN);
    expect(probabilityOf(-1000, 0, 0, CALIBRATION)).toBe(0);
  });

  test('supposes skills that do not fit where fewer than ten are found, none of them before one that is', () => {
    expect(meanOfOthers([9], SMALL, CALIBRATION)).toBe(5);
    expect(meanOfOthers([9], LARGE, CALIBRATION)).toBe(8);
    expect(meanOfOthers([9, 7, 6], SMALL, CALIBRATION)).toBeCloseTo((7 + 6 + 7 * 5) / 9, 9);
    expect(meanOfOthers([9, 4, 3], SMALL, CALIBRATION)).toBeCloseTo((4 + 3 + 7 * 3) / 9, 9);
    expect(meanOfOthers([], SMALL, CALIBRATION)).toBe(0);
  });

  test('rises with the sum, and falls the nearer the others come, by the numbers that come with the library', () => {
    const number = fc.double({ min: 0, max: 30, noNaN: true });
    const rankings = fc.constantFrom(...Object.values(rankingModel().calibration));
    fc.assert(
      fc.property(rankings, number, number, number, fc.double({ min: 0, max: 1, noNaN: true }), (of, a, b, c, size) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(probabilityOf(more, c, size, of)).toBeGreaterThanOrEqual(probabilityOf(less, c, size, of));
        expect(probabilityOf(c, more, size, of)).toBeLessThanOrEqual(probabilityOf(c, less, size, of));
      }),
    );
  });

  test('is no higher than if skills that do not fit were found in place of the missing ones', () => {
    const parts = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(sums, parts, parts, (found, size, part) => {
        const scale = { size, reach: 10 };
        const { weight, bySize } = CALIBRATION.unfit;
        const unfit = part * Math.min(found.at(-1)!, scale.reach * (weight + bySize * size));
        const filled = [...found, ...Array<number>(10 - found.length).fill(unfit)];
        const of = (all: readonly number[]): number =>
          probabilityOf(all[0]!, meanOfOthers(all, scale, CALIBRATION), size, CALIBRATION);
        expect(of(found)).toBeLessThanOrEqual(of(filled) + 1e-12);
      }),
    );
  });
});
