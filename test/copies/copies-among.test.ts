import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collapseCopies } from '../../src/copies/collapse-copies.js';
import { CopiesAmong } from '../../src/copies/copies-among.js';

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
