import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type KeywordPart, mergeKeywords, unchangedDocuments } from '../../src/keyword/build/merge-keywords.js';
import { collectKeywords, GONE, type KeywordDocument, type PackedKeywords } from '../../src/keyword/index.js';
import { catalogueOf, sourceOf } from './arbitrary-catalogue.js';

const collect = (documents: readonly KeywordDocument[]): PackedKeywords => collectKeywords(sourceOf(documents));

/** A part of some documents of a catalogue, given by their numbers in it. */
function partOf(catalogue: readonly KeywordDocument[], numbers: readonly number[]): KeywordPart {
  const documents = numbers.map((number) => catalogue[number] as KeywordDocument);
  return { keywords: collect(documents), documentOf: Uint32Array.from(numbers) };
}

const document = { name: 'x', author: 'somebody', labels: [], description: '', files: [] };

describe('an index of several parts', () => {
  test('is what collecting all their documents in one go gives', () => {
    const parts = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(catalogueOf(20), parts, fc.array(fc.nat(3), { maxLength: 20 }), (documents, count, owners) => {
        const numbers = documents.map((_, number) => number);
        const merged = mergeKeywords(
          documents.length,
          Array.from({ length: count }, (_, part) =>
            partOf(
              documents,
              numbers.filter((number) => (owners[number] ?? 0) % count === part),
            ),
          ),
        );
        expect(merged).toEqual(collect(documents));
      }),
      { numRuns: 25 },
    );
  });

  test('leaves out the documents of a former state that are gone, and the words that only they had', () => {
    fc.assert(
      fc.property(catalogueOf(14), catalogueOf(8), fc.array(fc.nat(5), { maxLength: 14 }), (former, added, places) => {
        // Each former document is gone, or stays behind some of those that were added.
        const kept = former.filter((_, i) => places[i] !== 0);
        const present: KeywordDocument[] = [
          ...added.slice(0, 2),
          ...kept.slice(0, 4),
          ...added.slice(2),
          ...kept.slice(4),
        ];
        const documentOf = Uint32Array.from(former, (one) => (kept.includes(one) ? present.indexOf(one) : GONE));
        const changed = [...present.keys()].filter((number) => added.includes(present[number] as KeywordDocument));
        const merged = mergeKeywords(present.length, [
          { keywords: collect(former), documentOf },
          partOf(present, changed),
        ]);
        expect(merged).toEqual(collect(present));
      }),
      { numRuns: 25 },
    );
  });

  test('keeps words that stand hundreds of times in a text, and skips those of documents that are gone', () => {
    const many = (count: number): KeywordDocument => ({ ...document, description: 'kite GitHub '.repeat(count) });
    const documents = [many(300), many(2), many(254), many(255), many(1000), many(256)];
    const present = [1, 3, 4].map((number) => documents[number] as KeywordDocument);
    const documentOf = Uint32Array.from([GONE, 0, GONE, 1, 2, GONE]);
    expect(mergeKeywords(3, [{ keywords: collect(documents), documentOf }])).toEqual(collect(present));
  });

  test('of nothing is empty', () => {
    expect(mergeKeywords(0, [])).toEqual(collect([]));
    const gone = { keywords: collect([document]), documentOf: Uint32Array.of(GONE) };
    expect(mergeKeywords(0, [gone])).toEqual(collect([]));
  });
});

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
