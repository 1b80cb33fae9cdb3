import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allPieces } from '../../../src/core/index.js';
import {
  allCopiesOf,
  collapseCopies,
  copyPreference,
  prepareCopies,
} from '../../../src/store/copies/collapse-copies.js';

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
