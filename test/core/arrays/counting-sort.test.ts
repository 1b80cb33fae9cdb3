import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countingSortInPieces } from '../../../src/core/arrays/sorted.js';
import { countingSort } from '../../../src/core/index.js';

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

test('of nothing is empty', () => {
  expect(countingSort([], 0)).toEqual({ starts: Uint32Array.of(0), items: new Uint32Array() });
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
