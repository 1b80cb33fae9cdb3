import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countingSortInPieces } from '../../src/core/arrays/sorted.js';
import {
  countBits,
  countBitsByFour,
  countingSort,
  kthLargest,
  lowerBound,
  lowerBoundBy,
  Members,
} from '../../src/core/index.js';

const onesIn = (value: number): number => [...(value >>> 0).toString(2)].filter((bit) => bit === '1').length;

test('count bits counts the ones of a number, signed or not', () => {
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

describe('counting sort', () => {
  test('groups items by their keys and keeps their order, and leaves out those of negative keys', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 8 }), { maxLength: 40 }), fc.nat(3), (keyOf, more) => {
        const keyCount = 9 + more;
        const { starts, items } = countingSort(Int32Array.from(keyOf), keyCount);
        expect(starts).toHaveLength(keyCount + 1);
        const groups = Array.from({ length: keyCount }, (_, key) => [...items.subarray(starts[key], starts[key + 1])]);
        expect(groups).toEqual(
          Array.from({ length: keyCount }, (_, key) => [...keyOf.keys()].filter((item) => keyOf[item] === key)),
        );
        expect(starts[0]).toBe(0);
        expect(starts[keyCount]).toBe(items.length);
      }),
    );
  });

  test('gives way after some thousand items, and groups the same', () => {
    const keys = Int32Array.from({ length: 50_000 }, (_, i) => ((i * 7919) % 300) - 1);
    const pieces = countingSortInPieces(keys, 300);
    let count = 0;
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) {
        expect(value).toEqual(countingSort(keys, 300));
        break;
      }
      count += 1;
    }
    expect(count).toBeGreaterThan(5);
  });
});

test('kth largest gives what stands at the k-th place of the sorted values', () => {
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

/** The first index from `from` up to `to` whose value is not less, by looking at all. */
function naive(values: readonly number[], wanted: number, from: number, to: number): number {
  for (let i = from; i < to; i++) if ((values[i] as number) >= wanted) return i;
  return to;
}

test('lower bound finds the first value that is not less, in any array and part of it', () => {
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

test('the members of a group are all documents that say they are in it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 8 }), { maxLength: 40 }), (groupOf) => {
      const members = Members.byGroup(groupOf, 9);
      for (let group = 0; group < 9; group++) {
        expect([...members.of(group)]).toEqual([...groupOf.keys()].filter((document) => groupOf[document] === group));
      }
    }),
  );
});
