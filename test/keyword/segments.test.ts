import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
import { ALL_IN_MEMORY, allPieces, DamagedArrayFileError, type Pager } from '../../src/core/index.js';
import {
  type CompletionOptions,
  collectKeywords,
  GONE,
  type KeywordDocument,
  type KeywordIndex,
  PackedIndex,
  type PackedKeywords,
  RecoveringIndex,
  readQuestion,
  type Segment,
} from '../../src/keyword/index.js';
import { catalogueOf, picks, questionFor, scoresOf, sourceOf } from './arbitrary-catalogue.js';
import { packed, type Split, segmented, splitIntoSegments } from './build-indexes.js';

const WEIGHTS = { name: 1, author: 0.1, labels: 0.2, description: 1, files: 0.3 };

const document = { name: 'x', author: 'somebody', labels: [], description: '', files: [] };

const split = (documents: readonly KeywordDocument[]): fc.Arbitrary<Split> =>
  fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    owners: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
    gone: fc.array(
      fc.option(
        fc.oneof(
          catalogueOf(3).map(([one]) => one ?? document),
          fc.constantFrom(document, ...documents),
        ),
        {
          nil: undefined,
        },
      ),
      { minLength: 1, maxLength: 12 },
    ),
  });

const splitCatalogue = catalogueOf(30).chain((documents) => fc.tuple(fc.constant(documents), split(documents)));

describe('an index over several segments', () => {
  test('answers exactly as one index over the documents that are left, and reads of each file what it needs', () => {
    const asked = fc.tuple(picks, fc.option(fc.array(fc.boolean(), { minLength: 30, maxLength: 30 })), fc.nat(6));
    fc.assert(
      fc.property(splitCatalogue, fc.array(asked, { minLength: 4, maxLength: 4 }), ([documents, one], questions) => {
        const segments = splitIntoSegments(documents, one).map(unread);
        const [index, whole] = [new PackedIndex(segments, sourceOf(documents)), packed(documents)];
        for (const [wanted, kept, length] of questions) {
          const text = questionFor(documents, wanted);
          const filter = kept === null ? undefined : Uint8Array.from(documents, (_, i) => (kept[i] === true ? 1 : 0));
          const letters = text
            .toLowerCase()
            .split(' ')
            .at(-1)!
            .slice(0, 1 + length);
          expect([text, ...answersOf(index, text, filter, letters)]).toEqual([
            text,
            ...answersOf(whole, text, filter, letters),
          ]);
        }
      }),
      { numRuns: 50 },
    );
  });

  const kite = (fields: Partial<KeywordDocument>): KeywordDocument => ({ ...document, ...fields });

  /** Documents that are left, by name or description, beside others that are gone; each in a segment of its own. */
  const beside = (left: readonly KeywordDocument[], gone: readonly KeywordDocument[]): KeywordIndex =>
    segmented(left, { count: left.length, owners: [...left.keys()], gone });

  test('reads a misspelt word as any segment has it, and not as only documents have it that are gone', () => {
    const [testing, other] = [kite({ name: 'testing' }), kite({ name: 'other' })];
    expect(beside([testing, other], [kite({ name: 'test' })]).match(readQuestion('tesst')).step).toBeUndefined();
    // The form that is near is in another segment than one of the forms of its stem.
    const both = beside([kite({ name: 'test' }), testing], [other]).match(readQuestion('tesst'));
    expect([both.step, [...both.documents]]).toEqual(['typo', [0, 1]]);
    const twice = beside([kite({ name: 'test' }), kite({ name: 'a test' }), testing], [other]);
    expect(twice.match(readQuestion('tesst')).corrected()).toEqual([{ asked: 'tesst', read: ['test', 'testing'] }]);
    // The word that was asked for is misspelt only once no document has it.
    expect(beside([testing, other], [kite({ name: 'tesst' })]).match(readQuestion('testign')).step).toBe('typo');
    expect(beside([testing, other], [kite({ name: 'testign' })]).match(readQuestion('testign')).step).toBe('typo');
  });

  test('counts words that stand hundreds of times in a text, and finds phrases, around documents that are gone', () => {
    const many = (count: number): KeywordDocument => kite({ description: `${'kite '.repeat(count)}release notes` });
    const left = [many(300), many(2), many(255), many(1000)];
    const [index, whole] = [beside(left, [many(400), undefined, many(256)] as KeywordDocument[]), packed(left)];
    const one = segmented(left, { count: 1, owners: [0], gone: [many(400), many(3), many(256)] });
    for (const text of ['kite', '"kite release"', '"release notes"', 'kite notes']) {
      expect([text, ...answersOf(index, text)]).toEqual([text, ...answersOf(whole, text)]);
      expect([text, ...answersOf(one, text)]).toEqual([text, ...answersOf(whole, text)]);
    }
  });

  test('completes no word by what only documents have that are gone, or had by itself', () => {
    const index = beside([kite({ name: 'react-testing' }), kite({ name: 'react' })], [kite({ name: 'reacttesting' })]);
    const texts = (one: KeywordIndex, letters: string, limit = 5): string[] =>
      one
        .wordsBeginning(letters, { limit, isLeftOut: () => false, words: [] })
        .map(({ text, count }) => `${text} ${count}`);
    expect(texts(index, 'rea')).toEqual(['react 2']);
    // What stands by itself in one segment counts in the compounds of another.
    expect(texts(beside([kite({ name: 'react-testing' }), kite({ name: 'reacttesting' })], []), 'reactt')).toEqual([
      'reacttesting 2',
    ]);
    // Most of what has the word is gone.
    const words = ['kitea', 'kitea kiteb', 'kiteb kitec', 'kitec', 'kited'];
    const left = words.map((description) => kite({ description }));
    const gone = Array.from({ length: 5 }, () => kite({ description: 'kited kitee' }));
    const inOne = segmented(left, { count: 1, owners: [0], gone });
    expect(texts(inOne, 'kite', 2)).toEqual(['kitea 2', 'kiteb 2']);
    expect(texts(inOne, 'kite')).toEqual(['kitea 2', 'kiteb 2', 'kitec 2', 'kited 1']);
  });

  test('completes a name in the spelling that most documents have which are left', () => {
    const named = (...names: string[]): KeywordDocument[] => names.map((name) => kite({ name }));
    const left = named('PDF Forms', 'pdf-forms', 'pdf-forms', 'pdf', 'PDF Forms', 'PDF Forms');
    const gone = named('pdf-forms', 'pdf-forms', 'pdf-forms', 'Pdf Tools', 'pdf', 'pdf');
    for (const count of [1, 2, 3]) {
      const index = segmented(left, { count, owners: [0, 1, 0, 2, 0, 1], gone });
      expect(index.namesBeginning('pdf', 5)).toEqual([
        { text: 'PDF Forms', count: 5 },
        { text: 'pdf', count: 1 },
      ]);
      expect(index.namesBeginning('pdf', 1)).toEqual([{ text: 'PDF Forms', count: 5 }]);
    }
  });

  test('refuses numbers that are not those of the whole', () => {
    const documents = [document, { ...document, name: 'y' }, { ...document, name: 'z' }];
    const keywords = collectKeywords(sourceOf(documents.slice(0, 2)));
    const other = collectKeywords(sourceOf(documents.slice(2)));
    const over = (first: readonly number[], second: readonly number[], size = 3): PackedIndex =>
      new PackedIndex(
        [
          { keywords, pager: ALL_IN_MEMORY, numbers: Uint32Array.from(first) },
          { keywords: other, pager: ALL_IN_MEMORY, numbers: Uint32Array.from(second) },
        ],
        sourceOf(documents.slice(0, size)),
      );
    expect(over([0, 2], [1]).size).toBe(3);
    expect(over([GONE, 1], [0], 2).size).toBe(2);
    for (const [first, second] of [
      [[0, 1], [3]],
      [[0, 1], [1]],
      [[1, 0], [2]],
      [[0, 1], []],
      [[0, 1, 2], []],
      [[0, GONE], [1]],
    ] as const)
      expect(() => over(first, second)).toThrow(DamagedArrayFileError);
  });

  test('answers from the documents where the file of any segment is damaged', () => {
    const documents = ['react', 'rust-tools', 'kite', 'kites'].map((name) => ({ ...document, name }));
    const segments = splitIntoSegments(documents, { count: 2, owners: [0, 1], gone: [document, undefined, undefined] });
    const text = 'kite';
    for (const damaged of segments.keys()) {
      const broken = segments.map((segment, i) => (i === damaged ? { ...segment, pager: UNREADABLE } : segment));
      const index = new PackedIndex(broken, sourceOf(documents));
      expect(() => answersOf(index, text)).toThrow(DamagedArrayFileError);
      const recovering = new RecoveringIndex(index, sourceOf(documents));
      expect(answersOf(recovering, text)).toEqual(answersOf(packed(documents), text));
    }
  });
});

/** A file that cannot be read. */
const UNREADABLE: Pager = {
  need: () => {
    throw new DamagedArrayFileError('bad');
  },
};

/** Whatever an index answers. */
function answersOf(index: KeywordIndex, text: string, filter?: Uint8Array, letters = text.slice(0, 2)): unknown[] {
  const question = readQuestion(text);
  const { length } = letters;
  const matches = index.match(question, { scored: true, filter });
  const best = allPieces(index.rank(question, { weights: WEIGHTS, limit: 4, filter }));
  const options: CompletionOptions = {
    limit: 1 + length,
    isLeftOut: (term) => term.length % 4 === length,
    words: question.words.slice(1),
  };
  const all = Uint32Array.from({ length: index.size }, (_, i) => i);
  return [
    ...[matches.step, matches.documents, scoresOf(matches), matches.corrected()],
    ...[best.documents, best.scores, best.highest, best.scoresOf(all)],
    ...[index.named(question), index.beginning(question)],
    ...[index.wordsBeginning(letters, options), index.namesBeginning(letters, 1 + length)],
  ];
}

/** A segment of which nothing is read: its arrays are full of ones until somebody needs a part of them. */
function unread(segment: Segment): Segment {
  const stored = new Map<NumberArray, NumberArray>();
  const hide = (value: unknown): unknown => {
    if (ArrayBuffer.isView(value)) {
      const array = value as NumberArray;
      const hidden = array.slice().fill(1);
      stored.set(hidden, array);
      return hidden;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(one)]));
  };
  const keywords = hide(segment.keywords) as PackedKeywords;
  const need: Pager['need'] = (array, from = 0, to = array.length) => {
    array.set(stored.get(array)!.subarray(from, to) as never, from);
  };
  return { ...segment, keywords, pager: { need } };
}
