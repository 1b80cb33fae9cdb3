import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kthLargest } from '../../../src/core/index.js';

test('gives what stands at the k-th place of the sorted values', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), fc.nat(), fc.nat(), (list, a, b) => {
      const values = Float64Array.from(list);
      const places = Uint32Array.from(list.keys()).reverse();
      const count = 1 + (a % list.length);
      const k = 1 + (b % count);
      const counted = [...places.subarray(0, count)].map((place) => values[place] as number);
      expect(kthLargest(values, places, count, k)).toEqual(counted.sort((x, y) => y - x)[k - 1]);
    }),
  );
});
