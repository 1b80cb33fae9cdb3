import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldAccents, isUnspacedTerm, stemOf } from '../../../src/core/index.js';
import { editDistance } from '../../../src/keyword/edit-distance.js';
import { Vocabulary } from '../../../src/keyword/minisearch/minisearch-words.js';
import { plainEditDistance } from '../naive-keyword-search.js';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'é'), minLength: 1, maxLength: 10 });

describe('the edit distance', () => {
  test.each([
    ['react', 'react', 0],
    ['raect', 'react', 1],
    ['reac', 'react', 1],
    ['reaact', 'react', 1],
    ['reect', 'react', 1],
    ['ract', 'react', 1],
    ['ab', 'ba', 1],
    ['kuberntse', 'kubernetes', 2],
    ['', 'ab', 2],
  ])('from %s to %s is %i', (a, b, expected) => {
    expect(editDistance(a, b, 2)).toBe(expected);
  });

  test('equals the definition up to the limit, and is one more beyond it', () => {
    fc.assert(
      fc.property(letters, letters, fc.nat(3), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(plainEditDistance(a, b), limit + 1));
      }),
    );
  });
});

describe('a vocabulary', () => {
  const term = fc.oneof(
    letters,
    fc.constantFrom('test', 'tests', 'testing', 'tested', '数据', '据', '數據', '数字', 'résumé', 'resume', 'resumes'),
  );

  function build(terms: readonly string[]): Vocabulary {
    const vocabulary = new Vocabulary();
    for (const one of terms) vocabulary.add(one);
    return vocabulary;
  }

  test('finds the same as going through all terms', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 40 }), term, fc.constantFrom(1, 2), (terms, asked, edits) => {
        const vocabulary = build(terms);
        const distinct = [...new Set(terms)];
        const spaced = distinct.filter((one) => !isUnspacedTerm(one));
        const form = foldAccents(asked);
        const sorted = (found: readonly string[]): string[] => [...found].sort();

        const sameStem = isUnspacedTerm(asked)
          ? distinct.filter((one) => foldAccents(one) === form)
          : spaced.filter((one) => stemOf(one) === stemOf(asked));
        expect(sorted(vocabulary.find({ kind: 'stem', term: asked }))).toEqual(sorted(sameStem));

        const begins = spaced.filter((one) => foldAccents(one).startsWith(form));
        expect(sorted(vocabulary.find({ kind: 'prefix', term: asked }))).toEqual(sorted(begins));

        const stems = new Set(
          spaced
            .map(foldAccents)
            .filter((one) => plainEditDistance(one, form) <= edits)
            .map(stemOf),
        );
        const near = spaced.filter((one) => stems.has(stemOf(one)));
        expect(sorted(vocabulary.find({ kind: 'edits', term: asked, edits }))).toEqual(sorted(near));
      }),
      { numRuns: 500 },
    );
  });

  test('finds the pairs that begin with a character, and the character itself', () => {
    const vocabulary = build(['数据', '据', '据分', '分析']);
    expect(vocabulary.find({ kind: 'character', term: '据' })).toEqual(['据', '据分']);
  });
});
