import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendTo } from '../../../src/core/index.js';

test('collects the values of each key in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat())), (pairs) => {
      const lists = new Map<number, number[]>();
      for (const [key, value] of pairs) appendTo(lists, key, value);
      expect(lists).toEqual(naive(pairs));
    }),
  );
});

function naive(pairs: readonly (readonly [number, number])[]): Map<number, number[]> {
  const keys = [...new Set(pairs.map(([key]) => key))];
  return new Map(keys.map((key) => [key, pairs.filter(([other]) => other === key).map(([, value]) => value)]));
}
