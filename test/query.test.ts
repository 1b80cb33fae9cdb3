import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkillSearchError } from '../src/core/index.js';
import type { Time } from '../src/filters.js';
import { resolveKeywordQuery, resolveListQuery, resolveSemanticQuery } from '../src/query.js';

describe('a good question', () => {
  test('gets the defaults', () => {
    expect(resolveKeywordQuery({ q: 'react' })).toEqual({
      q: 'react',
      page: 1,
      limit: 20,
      sortBy: 'relevance',
      category: undefined,
      occupation: undefined,
      author: undefined,
      license: undefined,
      minStars: undefined,
      updatedAfter: undefined,
      updatedBefore: undefined,
      copies: 'collapse',
      facets: [],
      asTyped: false,
      corrections: true,
    });
    expect(resolveSemanticQuery({ q: 'react' })).toMatchObject({ license: undefined, updatedAfter: undefined });
    expect(resolveListQuery()).toEqual({ page: 1, limit: 20, sortBy: 'recent', copies: 'keep', facets: [] });
  });

  test('keeps what it says', () => {
    const query = {
      q: '"pull request" c++',
      page: 50,
      limit: 50,
      sortBy: 'stars',
      category: 'git-workflows',
      occupation: '15-0000',
      author: 'Ada Löwe',
      license: 'Apache-2.0',
      minStars: 0,
      updatedAfter: 1_700_000_000,
      updatedBefore: 1_700_000_000.5,
      copies: 'collapse',
      facets: ['license', 'category'],
    } as const;

    const reading = { asTyped: true, corrections: false };
    expect(resolveKeywordQuery({ ...query, ...reading })).toEqual({ ...query, ...reading });
    // A blank says that the last word is done.
    expect(resolveKeywordQuery({ q: 'c++ ', asTyped: true }).asTyped).toBe(false);
    const { q: _, ...listed } = { ...query, page: 1000 };
    expect(resolveListQuery(listed)).toEqual(listed);
  });

  test.each<[Time, number]>([
    ['2026-01-31', 1_769_817_600],
    ['2026-01-31T12:00Z', 1_769_860_800],
    ['2026-01-31T12:00:00', 1_769_860_800],
    ['2026-01-31 12:00:00Z', 1_769_860_800],
    ['2026-01-31t13:30:00.250+01:30', 1_769_860_800.25],
    ['2024-02-29', 1_709_164_800],
    ['1970-01-01', 0],
    ['1969-12-31T23:59:59Z', -1],
    ['0001-01-01', -62_135_596_800],
    ['9999-12-31', 99_999_999_999],
    [0, 0],
    [1.5, 1.5],
  ])('may name the time %s, and twice resolved it is the same', (time, seconds) => {
    const once = resolveKeywordQuery({ q: 'a', updatedAfter: time, updatedBefore: time });
    expect([once.updatedAfter, once.updatedBefore]).toEqual([seconds, seconds]);
    expect(resolveKeywordQuery(once)).toEqual(once);
  });

  test.each([
    ['relevance', 'collapse'],
    ['recent', 'keep'],
    ['stars', 'keep'],
  ] as const)('sorted by %s takes copies as %s unless told otherwise', (sortBy, copies) => {
    expect(resolveKeywordQuery({ q: 'x', sortBy }).copies).toBe(copies);
    const other = copies === 'keep' ? 'collapse' : 'keep';
    expect(resolveKeywordQuery({ q: 'x', sortBy, copies: other }).copies).toBe(other);
  });

  test.each([resolveKeywordQuery, resolveSemanticQuery])(
    'is read whole up to 2,000 characters, counted in code points after trimming: %o',
    (resolve) => {
      for (const q of ['a'.repeat(2000), '𠮷'.repeat(2000), 'ﷺ'.repeat(2000)])
        expect(resolve({ q: `  ${q}\n` }).q).toBe(q);
    },
  );

  test.each([resolveKeywordQuery, resolveSemanticQuery])(
    'is read at both ends if it is longer and asks for nothing, without the words that are cut: %o',
    (resolve) => {
      const unspaced = [...resolve({ q: `b${'𠮷'.repeat(2000)}c` }).q];
      expect([unspaced[0], unspaced.at(-1)]).toEqual(['b', 'c']);
      expect(unspaced.length).toBeLessThanOrEqual(2000);
      const { q } = resolve({ q: `first ${'middle '.repeat(100_000)}last` });
      expect(q).toMatch(/^first (middle\s)+last$/);
      expect(q.length).toBeLessThanOrEqual(2000);
      expect(q.length).toBeGreaterThan(1600);
    },
  );

  test('is looked at for no more than 100,000 units, however long it is', () => {
    const deep = (blanks: number) => ({ q: `${' '.repeat(blanks)}a${' '.repeat(99_999)}b${' '.repeat(blanks)}` });
    expect(resolveSemanticQuery(deep(49_999)).q).toMatch(/^a\s+b$/);
    expect(errorOf(deep(50_000))).toMatchObject({ code: 'MISSING_QUERY' });
  });
});

describe('a faulty question', () => {
  test.each([
    ['absent', {}, 'MISSING_QUERY', 'q is required'],
    ['empty', { q: '' }, 'MISSING_QUERY', 'q is empty'],
    ['white space', { q: ' \u3000\n' }, 'MISSING_QUERY', 'q is empty'],
    ['no text', { q: 42 }, 'INVALID_QUERY', 'q must be a string, got 42'],
    ['punctuation', { q: '!? "--" +++' }, 'INVALID_QUERY', 'q must contain a letter or a digit'],
    ['an emoji', { q: '🚀' }, 'INVALID_QUERY', 'q must contain a letter or a digit'],
  ])('q: %s', (_, query, code, message) => {
    expect(errorOf(query)).toMatchObject({ code, message, parameter: 'q' });
  });

  test.each([
    ['page', 0, 'page must be an integer from 1 to 50, got 0'],
    ['page', 51, 'page must be an integer from 1 to 50, got 51'],
    ['page', 1.5, 'page must be an integer from 1 to 50, got 1.5'],
    ['limit', 0, 'limit must be an integer from 1 to 50, got 0'],
    ['limit', 51, 'limit must be an integer from 1 to 50, got 51'],
    ['sortBy', 'newest', 'sortBy must be one of relevance, recent, stars, got "newest"'],
    ['sortBy', 'toString', 'sortBy must be one of relevance, recent, stars, got "toString"'],
    ['category', '', 'category must be a slug of the characters a-z, 0-9 and -, got ""'],
    ['category', 'Data AI', 'category must be a slug of the characters a-z, 0-9 and -, got "Data AI"'],
    ['occupation', '15_0000', 'occupation must be a slug of the characters a-z, 0-9 and -, got "15_0000"'],
    ['author', '', 'author must be a user name of 1 to 200 characters, got ""'],
    ['license', 'x'.repeat(201), /^license must be the name of a license of 1 to 200 characters, got "x{40}…"$/],
    ['minStars', -1, 'minStars must be an integer of at least 0, got -1'],
    ['updatedAfter', '', /^updatedAfter must be Unix seconds, a date \(2026-01-31\) or a time .*, got ""$/],
    ['updatedAfter', '2026-02-30', /, got "2026-02-30"$/],
    ['updatedAfter', '2026-01-31T24:00Z', /, got "2026-01-31T24:00Z"$/],
    ['updatedAfter', '2026-01-31T12:00:00+1:00', /, got "2026-01-31T12:00:00\+1:00"$/],
    ['updatedBefore', 'yesterday', /^updatedBefore must be .*, got "yesterday"$/],
    ['updatedBefore', 1_769_860_800_000, /, got 1769860800000$/],
    ['updatedBefore', new Date(0), /, got a value of type object$/],
    ['facets', 'author', 'facets must be a list of category, occupation, author, license, agent, scope, got "author"'],
    [
      'facets',
      ['author', 'tag'],
      'facets must be a list of category, occupation, author, license, agent, scope, got "tag"',
    ],
    ['copies', 'all', 'copies must be one of collapse, keep, got "all"'],
  ])('%s: %s', (parameter, value, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    const fault = { code: 'INVALID_PARAMETER', message: expected, parameter };
    expect(errorOf({ q: 'a', [parameter]: value })).toMatchObject(fault);
  });

  test('of a list is told of what a list can be asked', () => {
    expect(errorOf({ page: 0 }, resolveListQuery)).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: 'page must be an integer of at least 1, got 0',
    });
    for (const page of [1.5, '1', null, Number.NaN, 2 ** 53]) {
      expect(errorOf({ page }, resolveListQuery)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'page' });
    }
    expect(errorOf({ sortBy: 'relevance' }, resolveListQuery).message).toContain(
      'one of recent, stars, got "relevance"',
    );
    expect(errorOf({ q: 'a' }, resolveListQuery).message).toContain('unknown parameter q');
    expect(errorOf(null, resolveListQuery)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'query' });
  });

  test('is told in one line, whatever stands in it', () => {
    const { message } = errorOf({ q: 'a', sortBy: 'a\nb\u001b[31m\u2028' });
    expect(message).not.toMatch(/[\n\u001b]/);
  });

  const FILTER_FAULTS = {
    category: 'X',
    occupation: 'X',
    author: '',
    license: '',
    minStars: -1,
    updatedAfter: 'x',
    updatedBefore: 'x',
  };
  test.each([
    [
      'keyword',
      resolveKeywordQuery,
      { q: '!', page: 0, limit: 0, sortBy: 'x', ...FILTER_FAULTS, copies: 'x', facets: 0 },
    ],
    ['semantic', resolveSemanticQuery, { q: '!', limit: 0, minScore: 2, ranking: 'x', ...FILTER_FAULTS, copies: 'x' }],
    ['list', resolveListQuery, { page: 0, limit: 0, sortBy: 'x', ...FILTER_FAULTS, copies: 'x', facets: ['x'] }],
  ] as const)('with several faults is told of the first, its filters behind its order: %s', (kind, resolve, faults) => {
    const order = Object.keys(faults);
    const good = kind === 'list' ? {} : { q: 'a' };
    fc.assert(
      fc.property(fc.subarray(order, { minLength: 1 }), (wrong) => {
        const query = { ...good, ...Object.fromEntries(Object.entries(faults).filter(([key]) => wrong.includes(key))) };
        const first = order.find((key) => wrong.includes(key));
        expect(errorOf(query, resolve).parameter).toBe(first);
      }),
    );
  });
});

function errorOf(query: unknown, resolve: (query: never) => unknown = resolveKeywordQuery): SkillSearchError {
  try {
    resolve(query as never);
  } catch (error) {
    if (error instanceof SkillSearchError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
