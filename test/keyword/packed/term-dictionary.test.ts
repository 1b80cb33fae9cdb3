import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_IN_MEMORY, compareCodePoints } from '../../../src/core/index.js';
import { packDictionary } from '../../../src/keyword/build/pack-dictionary.js';
import { Vocabulary } from '../../../src/keyword/minisearch/minisearch-words.js';
import type { Lookup } from '../../../src/keyword/plan-steps.js';
import { lettersOf, StringTable, TermDictionary } from '../../../src/keyword/term-dictionary.js';
import { packStrings } from './pack-strings.js';

const letters = fc.constantFrom(...'abcdeé1+数据分'.split(''), '\u{1f600}', '\u{20000}', '\uffdc');
const term = fc.array(letters, { minLength: 1, maxLength: 7 }).map((list) => list.join(''));
const word = fc.oneof(term, fc.constantFrom('testing', 'tests', 'tested', 'resume', 'résumé', 'resumé', 'résumés'));

describe('a table of strings', () => {
  test('finds what is equal and what begins so, as by going through all', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), word, (list, wanted) => {
        const sorted = [...list].sort(compareCodePoints);
        const { bytes, starts } = packStrings(sorted);
        const table = new StringTable({ bytes, starts }, ALL_IN_MEMORY);
        const between = ([from, to]: readonly [number, number]): string[] =>
          Array.from({ length: to - from }, (_, i) => table.at(from + i));
        expect(between([0, table.size])).toEqual(sorted);
        expect(between(table.rangeOf(wanted))).toEqual(sorted.filter((one) => one === wanted));
        expect(between(table.rangeOfPrefix(wanted))).toEqual(sorted.filter((one) => one.startsWith(wanted)));
      }),
    );
  });

  test('is in the order of code points', () => {
    expect(['\u{1f600}', '\uffdc', 'b', 'a'].sort(compareCodePoints)).toEqual(['a', 'b', '\uffdc', '\u{1f600}']);
  });
});

describe('a dictionary of terms', () => {
  test('answers every look-up as the vocabulary over a radix tree does', () => {
    const lookup: fc.Arbitrary<Lookup> = fc.oneof(
      word.map((one): Lookup => ({ kind: 'stem', term: one })),
      word.filter((one) => /^[a-e1é]/.test(one)).map((one): Lookup => ({ kind: 'prefix', term: one })),
      fc
        .tuple(
          word.filter((one) => /^[a-e1étr]/.test(one)),
          fc.constantFrom(1, 2),
        )
        .map(([one, edits]): Lookup => ({ kind: 'edits', term: one, edits })),
      fc.constantFrom('数', '据').map((one): Lookup => ({ kind: 'character', term: one })),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 60 }),
        fc.array(lookup, { minLength: 1, maxLength: 8 }),
        (terms, asked) => {
          const vocabulary = new Vocabulary();
          for (const one of terms) vocabulary.add(one);
          const { dictionary, numberOf } = packDictionary(packStrings(terms));
          const packed = new TermDictionary(dictionary, ALL_IN_MEMORY);
          for (const [i, one] of terms.entries()) {
            expect(packed.termAt(numberOf[i] as number)).toBe(one);
            expect(packed.numberOf(one)).toBe(numberOf[i]);
          }
          for (const one of asked) {
            const found = packed.find(one)!.map((number) => packed.termAt(number));
            expect(found.sort(), JSON.stringify(one)).toEqual([...vocabulary.find(one)].sort());
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('knows nothing where there is nothing', () => {
    const packed = new TermDictionary(packDictionary(packStrings([])).dictionary, ALL_IN_MEMORY);
    expect(packed.find({ kind: 'edits', term: 'kite', edits: 1 })).toEqual([]);
    expect(packed.find({ kind: 'prefix', term: 'kit' })).toEqual([]);
    expect(packed.numberOf('kite')).toBe(-1);
  });

  test('tells letters apart by a bit each', () => {
    expect(lettersOf('abba')).toBe(lettersOf('ab'));
    expect(lettersOf('abc')).not.toBe(lettersOf('abd'));
  });
});
