import fc from 'fast-check';
import { expect, test } from 'vitest';
import { separation } from '../../src/evaluation/measures.js';

test('the area is the share of pairs in which the answerable question scores higher', () => {
  // Of the nine pairs of (.9, .6, .4) and (.5, .4, .1): .9 is above all three, .6 above all three, .4 above .1 and
  // equal to .4.
  const { area, parts } = separation(Float64Array.of(0.9, 0.6, 0.4), Float64Array.of(0.5, 0.4, 0.1));
  expect(area).toBeCloseTo((3 + 3 + 1.5) / 9, 12);
  // Of a question: the share of the unanswerable that its score is above, plus the share of the answerable that are
  // above its score without answers, less the area. The second: 3/3 and, of .4: above it .9, .6 and half of .4, which
  // is 2.5/3.
  expect(parts[1]).toBeCloseTo(1 + 2.5 / 3 - 7.5 / 9, 12);
});

test('it is 1 where scores tell all, 0 where they tell the contrary, a half where they tell nothing', () => {
  const [low, high] = [Float64Array.of(0, 0.1), Float64Array.of(0.5, 0.6)];
  expect(separation(high, low).area).toBe(1);
  expect(separation(low, high).area).toBe(0);
  expect(separation(high, high).area).toBe(0.5);
  expect(separation(Float64Array.of(0.1), Float64Array.of(Number.NEGATIVE_INFINITY)).area).toBe(1);
});

test('it is that of counting all pairs, and the mean of its parts', () => {
  const scores = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), { minLength: 1 });
  fc.assert(
    fc.property(scores, (pairs) => {
      let sum = 0;
      for (const [high] of pairs) for (const [, low] of pairs) sum += high > low ? 1 : high === low ? 0.5 : 0;
      const { area, parts } = separation(
        Float64Array.from(pairs, ([high]) => high),
        Float64Array.from(pairs, ([, low]) => low),
      );
      expect(area).toBeCloseTo(sum / pairs.length ** 2, 10);
      expect(parts.reduce((total, part) => total + part, 0) / pairs.length).toBeCloseTo(area, 10);
    }),
  );
});
