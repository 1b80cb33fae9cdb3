import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LargestValues } from '../../../src/core/index.js';

test('the least of the largest values is the one at the end of the sorted first ones', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (values, k) => {
      const largest = new LargestValues(k);
      for (const [i, value] of values.entries()) {
        largest.add(value);
        const sorted = values.slice(0, i + 1).sort((a, b) => b - a);
        expect(largest.least).toBe(sorted[k - 1] ?? Number.NEGATIVE_INFINITY);
      }
    }),
  );
});
