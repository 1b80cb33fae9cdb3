import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectKeywords } from '../../../../src/keyword/build/collect-keywords.js';
import { type KeywordPart, mergeKeywords } from '../../../../src/keyword/build/merge-keywords.js';
import type { KeywordDocument } from '../../../../src/keyword/keyword-index.js';
import type { PackedKeywords } from '../../../../src/keyword/packed-keywords.js';
import { GONE } from '../../../../src/keyword/packed-keywords.js';
import { catalogueOf, sourceOf } from '../../arbitrary-catalogue.js';
import { splitIntoSegments } from '../split-into-segments.js';

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
      { numRuns: 100 },
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
      { numRuns: 100 },
    );
  });

  test('is made of segments, without the documents that are gone, as they are', () => {
    const owners = fc.array(fc.nat(3), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(catalogueOf(12), catalogueOf(4), owners, fc.nat(3), (documents, others, owners, more) => {
        const segments = splitIntoSegments(documents, { count: 1 + more, owners, gone: [undefined, ...others] });
        const parts = segments.map(({ keywords, numbers }) => ({ keywords, documentOf: numbers }));
        expect(mergeKeywords(documents.length, parts)).toEqual(collect(documents));
      }),
      { numRuns: 60 },
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
