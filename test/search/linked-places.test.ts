import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { placesOf } from '../../src/search/nearest-documents.js';
import { NO_VECTOR } from '../../src/store/read/catalogue-reader.js';

test('places of numbers are those that a look at all keys finds', () => {
  const number = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(fc.uniqueArray(number), fc.array(fc.oneof(number, fc.constant(NO_VECTOR))), (some, numbers) => {
      const keys = some.toSorted((a, b) => a - b);
      const places = keys.map((key) => (key * 7) % 11);
      const at = numbers.map((one) => keys.indexOf(one));
      const found = (of?: Uint32Array) => [...allPieces(placesOf(numbers, Float64Array.from(keys), of))];
      expect(found()).toEqual(at.map((i) => (i < 0 ? NO_VECTOR : i)));
      expect(found(Uint32Array.from(places))).toEqual(at.map((i) => (i < 0 ? NO_VECTOR : places[i])));
    }),
  );
});
