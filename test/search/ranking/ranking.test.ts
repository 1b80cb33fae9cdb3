import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { topOf } from '../../../src/core/index.js';
import { labelMask, occupationSlugs } from '../../../src/search/ranking/filter-mask.js';
import { comparatorOf, type DocumentFacts } from '../../../src/search/ranking/ranks.js';

const facts = (rows: readonly (readonly [stars: number, updatedAt: number])[]): DocumentFacts => {
  const byStars = [...rows.keys()].sort((a, b) => (rows[b]?.[0] ?? 0) - (rows[a]?.[0] ?? 0) || a - b);
  return {
    stars: rows.map(([stars]) => stars),
    idRank: rows.map((_, i) => i),
    starRank: rows.map((_, i) => byStars.indexOf(i)),
  };
};

describe('a page of an order', () => {
  test('is the same as that of the whole list sorted', () => {
    const numbers = fc.uniqueArray(fc.nat(500), { maxLength: 200 });
    fc.assert(
      fc.property(
        numbers,
        fc.nat(60),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 2, max: 400 }),
        (list, offset, limit, modulus) => {
          const compare = (a: number, b: number): number => (a % modulus) - (b % modulus) || a - b;
          expect(topOf(list, compare, offset, limit)).toEqual([...list].sort(compare).slice(offset, offset + limit));
          const isWanted = (item: number): boolean => item % 3 > 0;
          expect(topOf(list, compare, offset, limit, isWanted)).toEqual(
            list
              .filter(isWanted)
              .sort(compare)
              .slice(offset, offset + limit),
          );
        },
      ),
    );
  });
});

describe('the orders', () => {
  // Documents are numbered by their dates.
  const rows = facts([
    [9, 70],
    [1, 70],
    [1, 50],
    [9, 50],
  ]);
  const sorted = (compare: (a: number, b: number) => number): number[] => [0, 1, 2, 3].sort(compare);
  const scores = [0.1, 0.9, 0.5, 0.5];
  const scoreOf = (number: number): number => scores[number] as number;

  test('recent: the order of the numbers', () => {
    expect([2, 0, 3, 1].sort(comparatorOf('recent', rows, scoreOf))).toEqual([0, 1, 2, 3]);
  });
  test('stars: the most stars first, then the latest update', () => {
    expect(sorted(comparatorOf('stars', rows, scoreOf))).toEqual([0, 3, 1, 2]);
  });
  test('relevance: the highest score first, then the most stars', () => {
    expect(sorted(comparatorOf('relevance', rows, scoreOf))).toEqual([1, 3, 2, 0]);
  });
});

describe('label filters', () => {
  const occupations = new Map([
    ['software-developers-151252', [0, 1]],
    ['software-developers', [2]],
    ['data-scientists-152051', [3]],
    ['registered-nurses-291141', [4]],
  ]);

  test.each([
    ['software-developers-151252', ['software-developers-151252']],
    ['software-developers', ['software-developers-151252', 'software-developers']],
    ['15-0000', ['software-developers-151252', 'data-scientists-152051']],
    ['29-0000', ['registered-nurses-291141']],
    ['11-0000', []],
    ['software', []],
    ['data-scientists-15', []],
  ])('an occupation %s takes the fitting labels', (slug, expected) => {
    expect(occupationSlugs(occupations, slug)).toEqual(expected);
  });

  test('a mask holds what passes every filter, and is absent without filters', () => {
    const authors = new Map([['ada', [0, 3]]]);
    const licenses = new Map([['mit', [3, 4]]]);
    const installations = new Map([
      ['codex/user', [0, 1]],
      ['codex/project', [1, 2]],
      ['claude-code/user', [2]],
    ]);
    const labels = {
      size: 5,
      categories: new Map([['testing', [1, 3]]]),
      occupations,
      authors,
      licenses,
      installations,
    };
    expect(labelMask(labels, { category: 'testing', occupation: '15-0000' })).toEqual(Uint8Array.of(0, 1, 0, 1, 0));
    expect(labelMask(labels, { category: 'testing' })).toEqual(Uint8Array.of(0, 1, 0, 1, 0));
    expect(labelMask(labels, { occupation: 'software-developers' })).toEqual(Uint8Array.of(1, 1, 1, 0, 0));
    expect(labelMask(labels, { category: 'none' })).toEqual(new Uint8Array(5));
    expect(labelMask(labels, { category: 'testing', occupation: '29-0000' })).toEqual(new Uint8Array(5));
    expect(labelMask(labels, { author: 'Ada' })).toEqual(Uint8Array.of(1, 0, 0, 1, 0));
    expect(labelMask(labels, { author: 'ad' })).toEqual(new Uint8Array(5));
    expect(labelMask(labels, { category: 'testing', author: 'ADA' })).toEqual(Uint8Array.of(0, 0, 0, 1, 0));
    expect(labelMask(labels, { license: ' MIT' })).toEqual(Uint8Array.of(0, 0, 0, 1, 1));
    expect(labelMask(labels, { license: 'mit', author: 'ada' })).toEqual(Uint8Array.of(0, 0, 0, 1, 0));
    expect(labelMask(labels, {})).toBeUndefined();
  });
});
