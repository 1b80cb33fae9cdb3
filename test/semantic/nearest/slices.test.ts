import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keysBySlice, sliceOf, wantedOfSlice } from '../../../src/semantic/nearest/graph.js';

const MAX_LABEL = 2 ** 32 - 1;

describe('slices', () => {
  test('have each key once, in order, the same whatever other keys there are', () => {
    const sets = fc.uniqueArray(fc.integer({ min: 1, max: MAX_LABEL }), { maxLength: 200 });
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 4 }), (some, slices) => {
        const keys = Float64Array.from(some).sort();
        const bySlice = keysBySlice(keys, slices);
        expect(bySlice).toHaveLength(slices);
        expect(Float64Array.from(bySlice.flatMap((one) => [...one])).sort()).toEqual(keys);
        for (const [slice, one] of bySlice.entries()) {
          expect(one.toSorted()).toEqual(one);
          for (const key of one) expect(sliceOf(key, slices)).toBe(slice);
        }
      }),
    );
  });

  test.each([1, 2, 3, 4, 8, 10, 256, 1000, 65_536])('are about equal where numbers are %i apart', (step) => {
    const keys = Float64Array.from({ length: 10_000 }, (_, i) => 1 + i * step);
    for (const slices of [2, 3, 4]) {
      for (const { length } of keysBySlice(keys, slices)) {
        expect([slices, Math.abs(length * slices - 10_000) < 1000]).toEqual([slices, true]);
      }
    }
  });

  test('are asked for as many as their share of the nearest can be, never for more than all', () => {
    expect([1, 5, 1000].map((k) => wantedOfSlice(k, 1))).toEqual([1, 5, 1000]);
    expect([1, 5, 100, 1000, 10_000].map((k) => wantedOfSlice(k, 4))).toEqual([1, 5, 55, 345, 2800]);
    for (let k = 1; k < 500; k++)
      for (const slices of [2, 3, 4]) {
        expect(wantedOfSlice(k, slices) * slices).toBeGreaterThanOrEqual(k);
      }
  });
});
