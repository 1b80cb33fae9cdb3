import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rankingModel } from '../../../src/search/ranking/features.js';
import { type Calibration, MOST_CERTAIN, meanOfOthers, probabilityOf } from '../../../src/search/ranking/hybrid.js';

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

describe('the probability of a first hit', () => {
  test('is a logistic function of its sum, the mean of the next nine, both beside the reach, and the size of the catalogue', () => {
    expect(meanOfOthers([9, ...Array<number>(20).fill(3)], SMALL, CALIBRATION)).toBe(3);
    expect(probabilityOf(20, 30, SMALL, CALIBRATION)).toBe(MOST_CERTAIN / 2);
    expect(probabilityOf(20, 30, LARGE, CALIBRATION)).toBeCloseTo(MOST_CERTAIN / (1 + Math.exp(3)), 12);
    expect(probabilityOf(10_000, 0, SMALL, CALIBRATION)).toBe(MOST_CERTAIN);
    expect(probabilityOf(-10_000, 0, SMALL, CALIBRATION)).toBe(0);
    expect(probabilityOf(0, 0, { size: 0, reach: 0 }, CALIBRATION)).toBeCloseTo(MOST_CERTAIN / (1 + Math.E), 12);
  });

  test('supposes skills that do not fit where fewer than ten are found, none of them before the first', () => {
    expect(meanOfOthers([9], SMALL, CALIBRATION)).toBe(5);
    expect(meanOfOthers([9], LARGE, CALIBRATION)).toBe(8);
    expect(meanOfOthers([9, 7, 1], SMALL, CALIBRATION)).toBeCloseTo((7 + 1 + 7 * 5) / 9, 9);
    expect(meanOfOthers([4, 3], SMALL, CALIBRATION)).toBeCloseTo((3 + 8 * 4) / 9, 9);
    expect(meanOfOthers([], SMALL, CALIBRATION)).toBe(0);
  });

  test('rises with the sum, by the numbers that come with the library', () => {
    const number = fc.double({ min: 0, max: 30, noNaN: true });
    const rankings = fc.constantFrom(...Object.values(rankingModel().calibration));
    fc.assert(
      fc.property(rankings, number, number, number, fc.double({ min: 0, max: 1, noNaN: true }), (of, a, b, c, size) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        const scale = { size, reach: 20 };
        expect(probabilityOf(more, c, scale, of)).toBeGreaterThanOrEqual(probabilityOf(less, c, scale, of));
      }),
    );
  });

  test('does not rise because skills that do not fit are not found', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const ranked = fc.array(part, { minLength: 9, maxLength: 9 });
    const found = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(part, part, ranked, found, (size, high, parts, isFound) => {
        const scale = { size, reach: 10 };
        const { weight, bySize } = CALIBRATION.unfit;
        const first = 20 * high;
        const unfit = Math.min(first, scale.reach * (weight + bySize * size));
        const others = parts.map((of) => of * unfit).sort((a, b) => b - a);
        const of = (sums: readonly number[]): number =>
          probabilityOf(first, meanOfOthers(sums, scale, CALIBRATION), scale, CALIBRATION);
        const fewer = others.filter((_, i) => isFound[i]);
        expect(of([first, ...fewer])).toBeLessThanOrEqual(of([first, ...others]) + 1e-12);
      }),
    );
  });
});
