import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { vectorPlaces } from '../../src/search/vector-places.js';
import { NO_VECTOR } from '../../src/store/read/catalogue-reader.js';

test('are where a look at all keys finds the numbers', () => {
  const number = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(fc.uniqueArray(number), fc.array(fc.oneof(number, fc.constant(NO_VECTOR))), (some, numbers) => {
      const keys = some.toSorted((a, b) => a - b);
      const expected = numbers.map((one) => (keys.includes(one) ? keys.indexOf(one) : NO_VECTOR));
      expect([...allPieces(vectorPlaces(numbers, Float64Array.from(keys)))]).toEqual(expected);
    }),
  );
});
