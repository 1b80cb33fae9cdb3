import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FacetIndex, type ValueCount } from '../../../src/search/facets.js';
import { documentsByOccupation, occupationSlugs } from '../../../src/search/ranking/filter-mask.js';
import { besideTheirCopies } from '../../../src/store/copies/collapse-copies.js';

const SIZE = 12;
const document = fc.nat({ max: SIZE - 1 });
const values = fc.array(fc.array(document, { maxLength: 15 }), { maxLength: 6 });

test('counts what a look at every document counts, one call after the other, with groups and without', () => {
  const asked = fc.array(
    fc.tuple(
      fc.uniqueArray(document).map((some) => some.sort((a, b) => a - b)),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
    ),
    { minLength: 1, maxLength: 5 },
  );
  const groups = fc
    .array(fc.nat({ max: 3 }), { minLength: SIZE, maxLength: SIZE })
    // A group is named by one of its documents.
    .map((some) => Uint32Array.from(some, (group) => some.indexOf(group)));
  fc.assert(
    fc.property(values, asked, groups, (documentsOf, questions, groupOf) => {
      const index = new FacetIndex(SIZE, documentsOf);
      for (const [some, isGrouped, limit] of questions) {
        const documents = Uint32Array.from(some);
        const expected = documentsOf
          .map((having, value): ValueCount => {
            const found = new Set(
              some.filter((one) => having.includes(one)).map((one) => (isGrouped ? groupOf[one] : one)),
            );
            return { value, count: found.size };
          })
          .filter(({ count }) => count > 0)
          .sort((a, b) => b.count - a.count || a.value - b.value)
          .slice(0, limit);
        const counted = isGrouped ? besideTheirCopies(documents, groupOf) : documents;
        expect([...counted].sort((a, b) => a - b)).toEqual(some);
        expect(index.count(counted, isGrouped ? groupOf : undefined, limit)).toEqual(expected);
      }
    }),
  );
});

test('the documents of an occupation are those that pass a filter by its slug', () => {
  const slug = fc.constantFrom(
    ...[
      'cooks',
      'cooks-352014',
      'cooks-352015',
      '35-0000',
      '35-0000-352014',
      '35',
      'cooks-35201',
      '15-0000',
      'poets-273043',
    ],
  );
  fc.assert(
    fc.property(fc.dictionary(slug, fc.uniqueArray(document)), (given) => {
      const labels = new Map(Object.entries(given));
      const byOccupation = documentsByOccupation(labels);
      expect([...byOccupation.keys()]).toEqual([...labels.keys()]);
      for (const label of labels.keys()) {
        const expected = new Set(occupationSlugs(labels, label).flatMap((one) => labels.get(one)!));
        expect(new Set(Array.from(byOccupation.get(label)!))).toEqual(expected);
      }
    }),
  );
});
