import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countBits, countBitsByFour } from '../../../src/core/index.js';

const onesIn = (value: number): number => [...(value >>> 0).toString(2)].filter((bit) => bit === '1').length;

test('counts the ones of a number, signed or not', () => {
  const value = fc.oneof(fc.integer(), fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, -1, 0xffffffff));
  fc.assert(
    fc.property(value, (bits) => {
      expect(countBits(bits)).toBe(onesIn(bits));
      const sums = countBitsByFour(bits);
      for (let shift = 0; shift < 32; shift += 4) {
        expect((sums >>> shift) & 15).toBe(onesIn((bits >>> shift) & 15));
      }
    }),
  );
});
