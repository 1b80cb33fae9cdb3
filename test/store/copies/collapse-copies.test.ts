import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../../src/core/index.js';
import {
  allCopiesOf,
  CopiesAmong,
  collapseCopies,
  copyPreference,
  prepareCopies,
} from '../../../src/store/copies/collapse-copies.js';

describe('collapse copies', () => {
  const facts = (
    rows: readonly (readonly [stars: number, updatedAt: number])[],
  ): Parameters<typeof copyPreference>[0] => ({
    stars: rows.map(([stars]) => stars),
    updatedAt: rows.map(([, updatedAt]) => updatedAt),
    idRank: rows.map((_, i) => i),
  });

  describe('copies', () => {
    test('are found alike, whether that was prepared or not', () => {
      const groups = [0, 1, 0, 3, 1, 0];
      const prepared = Uint32Array.from(groups);
      allPieces(prepareCopies(prepared));
      for (const groupOf of [prepared, Uint32Array.from(groups)]) {
        expect(allCopiesOf([2, 3], groupOf)).toEqual([0, 2, 5, 3]);
      }
      expect([...prepareCopies(prepared)]).toEqual([]);
    });

    test('are stood for by the one with the most stars, then the oldest, with their number', () => {
      const rows = facts([
        [5, 30],
        [7, 20],
        [7, 10],
        [1, 10],
        [0, 0],
      ]);
      const { documents: numbers, counts } = collapseCopies([0, 1, 2, 3, 4], [0, 0, 0, 3, 4], copyPreference(rows));
      expect([...numbers].sort()).toEqual([2, 3, 4]);
      expect([...counts]).toEqual([[2, 3]]);
    });

    test('keep one of each group, and count all of it, whatever the order of the list', () => {
      const documents = fc.array(fc.record({ group: fc.nat(5), stars: fc.nat(3), updatedAt: fc.nat(3) }), {
        maxLength: 30,
      });
      fc.assert(
        fc.property(documents, (list) => {
          const rows = facts(list.map((d) => [d.stars, d.updatedAt]));
          // Named by a document, as those of a catalogue are.
          const groups = list.map(({ group }) => list.findIndex((d) => d.group === group));
          const preference = copyPreference(rows);
          const { documents: numbers, counts } = collapseCopies([...list.keys()].reverse(), groups, preference);
          const expected = new Map<number, number[]>();
          for (const [i, group] of groups.entries()) expected.set(group, [...(expected.get(group) ?? []), i]);
          expect([...numbers].sort((a, b) => a - b)).toEqual(
            [...expected.values()].map((members) => members.sort(preference)[0] as number).sort((a, b) => a - b),
          );
          for (const members of expected.values()) expect(counts.get(members[0] as number) ?? 1).toBe(members.length);
        }),
      );
    });
  });
});

describe('copies among', () => {
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
});
