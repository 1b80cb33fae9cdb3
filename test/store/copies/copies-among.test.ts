import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopiesAmong, collapseCopies } from '../../../src/store/copies/collapse-copies.js';

test('copies among some documents are collapsed as by going through all of them', () => {
  const documents = fc.array(fc.record({ group: fc.nat(8), stars: fc.nat(3), isAmong: fc.boolean() }), {
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(documents, (list) => {
      // Named by a document, as those of a catalogue are.
      const groupOf = Uint32Array.from(list, ({ group }) => list.findIndex((one) => one.group === group));
      const preference = (a: number, b: number): number => list[b]!.stars - list[a]!.stars || a - b;
      const among = Uint32Array.from(list.keys()).filter((document) => list[document]!.isAmong);
      const copies = new CopiesAmong(among, groupOf, preference);
      const { documents: kept, counts } = collapseCopies(among, groupOf, preference);
      expect(copies.total).toBe(kept.length);
      expect([...among].filter((document) => copies.isKept(document))).toEqual([...kept].sort((a, b) => a - b));
      for (const document of kept) expect(copies.countOf(document)).toBe(counts.get(document) ?? 1);
    }),
  );
});

test('copies are told apart among other documents of the same groups, question by question', () => {
  const groups = Uint32Array.of(0, 0, 2, 0, 2, 5);
  const preference = (a: number, b: number): number => a - b;
  const among = (...documents: number[]): CopiesAmong =>
    new CopiesAmong(Uint32Array.from(documents), groups, preference);
  expect(among(0, 1, 2, 3, 4, 5).total).toBe(3);
  // What the question before had is no copy of what this one has.
  const few = among(1, 4, 5);
  expect(few.total).toBe(3);
  expect([1, 4, 5].map((document) => [few.isKept(document), few.countOf(document)])).toEqual([
    [true, 1],
    [true, 1],
    [true, 1],
  ]);
  const pair = among(1, 3);
  expect([pair.total, pair.isKept(1), pair.isKept(3), pair.countOf(1)]).toEqual([1, true, false, 2]);
});
