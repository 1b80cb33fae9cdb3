import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allPieces } from '../../src/core/index.js';
import { linkedPlaces } from '../../src/search/linked-places.js';
import { NO_VECTOR } from '../../src/store/read/catalogue-reader.js';

test('are those that a look at all links finds', () => {
  const number = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(fc.uniqueArray(number), fc.array(number), (some, numbers) => {
      const skills = some.toSorted((a, b) => a - b);
      const places = skills.map((skill) => (skill * 7) % 11);
      const expected = numbers.map((one) => (skills.includes(one) ? places[skills.indexOf(one)] : NO_VECTOR));
      const links = { skills: Float64Array.from(skills), places: Uint32Array.from(places) };
      expect([...allPieces(linkedPlaces(numbers, links))]).toEqual(expected);
    }),
  );
});
