import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerBound, lowerBoundBy } from '../../../src/core/index.js';

/** The first index from `from` up to `to` whose value is not less, by looking at all. */
function naive(values: readonly number[], wanted: number, from: number, to: number): number {
  for (let i = from; i < to; i++) if ((values[i] as number) >= wanted) return i;
  return to;
}

test('finds the first value that is not less, in any array and part of it', () => {
  const value = fc.nat(20);
  const list = fc.array(value, { maxLength: 30 }).map((values) => values.sort((a, b) => a - b));
  fc.assert(
    fc.property(list, value, fc.nat(30), fc.nat(30), (values, wanted, a, b) => {
      const [from, to] = [Math.min(a, b, values.length), Math.min(Math.max(a, b), values.length)];
      for (const array of [Uint32Array.from(values), Float64Array.from(values)]) {
        expect(lowerBound(array, wanted)).toBe(naive(values, wanted, 0, values.length));
        expect(lowerBound(array, wanted, from, to)).toBe(naive(values, wanted, from, to));
      }
      expect(lowerBoundBy(values.length, (i) => (values[i] as number) < wanted)).toBe(
        naive(values, wanted, 0, values.length),
      );
    }),
  );
});
