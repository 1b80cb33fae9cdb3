import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unchangedDocuments } from '../../../../src/keyword/build/merge-keywords.js';
import { GONE } from '../../../../src/keyword/packed-keywords.js';

const hashes = (documents: readonly (readonly [number, number])[]): Uint32Array => Uint32Array.from(documents.flat());

describe('the documents that have not changed', () => {
  test('are those whose hash is the same in both states', () => {
    // Few values: many share one half of their hash.
    const half = fc.constantFrom(0, 1, 2, 7, 8, 0xffffffff);
    const catalogue = fc.uniqueArray(fc.tuple(half, half), { maxLength: 36, selector: (pair) => pair.join() });
    fc.assert(
      fc.property(catalogue, fc.array(fc.boolean(), { maxLength: 72 }), (all, chosen) => {
        const former = all.filter((_, i) => chosen[2 * i] !== false);
        const present = all.filter((_, i) => chosen[2 * i + 1] !== false);
        const expected = former.map((one) => (present.includes(one) ? present.indexOf(one) : GONE));
        expect([...unchangedDocuments(hashes(former), hashes(present))]).toEqual(expected);
      }),
    );
  });

  test('are found in a time that grows with their number, also where somebody made up one hash for all', () => {
    const many = new Uint32Array(2 * 200_000).fill(7);
    expect(unchangedDocuments(many, many)[0]).toBe(0);
  });

  test('are told in ascending order, whatever the order of the hashes', () => {
    const [a, b] = [
      [1, 1],
      [2, 2],
    ] as const;
    expect([...unchangedDocuments(hashes([a, b]), hashes([b, a]))]).toEqual([GONE, 0]);
    expect([...unchangedDocuments(hashes([a, b]), hashes([a, a, b]))]).toEqual([0, 2]);
  });
});
