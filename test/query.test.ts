import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkillSearchError } from '../src/errors.js';
import { type KeywordQuery, resolveKeywordQuery } from '../src/query.js';

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
      copies: 'collapse',
    });
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
      copies: 'collapse',
    } as const;

    expect(resolveKeywordQuery(query)).toEqual(query);
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

  test('loses the white space around it, whatever kind it is', () => {
    const white = ' \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000';
    expect(resolveKeywordQuery({ q: `${white}a b${white}` }).q).toBe('a b');
  });

  test('may have 200 characters, counted in code points after trimming', () => {
    expect(resolveKeywordQuery({ q: `  ${'a'.repeat(200)}  ` }).q).toHaveLength(200);
    expect(resolveKeywordQuery({ q: '𠮷'.repeat(200) }).q).toBe('𠮷'.repeat(200));
  });

  test('is not normalised before it is measured', () => {
    // One character that NFKC makes eighteen of, and an accent that NFC would join with its letter.
    expect(resolveKeywordQuery({ q: 'ﷺ'.repeat(200) }).q).toBe('ﷺ'.repeat(200));
    expect(errorOf({ q: 'e\u0301'.repeat(101) })).toMatchObject({ code: 'INVALID_QUERY' });
  });

  test.each(['a', '7', '漢', 'ж', '٣', '𐐷', 'Ⅷ', 'c++', '.net'])('may be %s', (q) => {
    expect(resolveKeywordQuery({ q }).q).toBe(q);
  });
});

describe('a faulty question', () => {
  test.each([
    ['absent', {}, 'MISSING_QUERY', 'q is required'],
    ['null', { q: null }, 'MISSING_QUERY', 'q is required'],
    ['empty', { q: '' }, 'MISSING_QUERY', 'q is empty'],
    ['white space', { q: ' \u3000\n' }, 'MISSING_QUERY', 'q is empty'],
    ['no text', { q: 42 }, 'INVALID_QUERY', 'q must be a string, got 42'],
    ['an array', { q: ['a'] }, 'INVALID_QUERY', 'q must be a string, got an array'],
    ['too long', { q: 'a'.repeat(201) }, 'INVALID_QUERY', 'q must have at most 200 characters, got 201'],
    [
      'too long in code points',
      { q: '𠮷'.repeat(201) },
      'INVALID_QUERY',
      'q must have at most 200 characters, got 201',
    ],
    ['punctuation', { q: '!? "--" +++' }, 'INVALID_QUERY', 'q must contain a letter or a digit'],
    ['an emoji', { q: '🚀' }, 'INVALID_QUERY', 'q must contain a letter or a digit'],
    ['an accent alone', { q: '\u0301' }, 'INVALID_QUERY', 'q must contain a letter or a digit'],
  ])('q: %s', (_, query, code, message) => {
    expect(errorOf(query)).toMatchObject({ code, message, parameter: 'q' });
  });

  test.each([
    ['page', 0, 'page must be an integer from 1 to 50, got 0'],
    ['page', 51, 'page must be an integer from 1 to 50, got 51'],
    ['page', 1.5, 'page must be an integer from 1 to 50, got 1.5'],
    ['page', '1', 'page must be an integer from 1 to 50, got "1"'],
    ['page', Number.NaN, 'page must be an integer from 1 to 50, got NaN'],
    ['page', null, 'page must be an integer from 1 to 50, got null'],
    ['limit', 0, 'limit must be an integer from 1 to 50, got 0'],
    ['limit', -1, 'limit must be an integer from 1 to 50, got -1'],
    ['limit', 51, 'limit must be an integer from 1 to 50, got 51'],
    ['limit', 10n, 'limit must be an integer from 1 to 50, got a value of type bigint'],
    ['sortBy', 'newest', 'sortBy must be one of relevance, recent, stars, got "newest"'],
    ['sortBy', '', 'sortBy must be one of relevance, recent, stars, got ""'],
    ['sortBy', 'toString', 'sortBy must be one of relevance, recent, stars, got "toString"'],
    ['category', '', 'category must be a slug of the characters a-z, 0-9 and -, got ""'],
    ['category', 'Data AI', 'category must be a slug of the characters a-z, 0-9 and -, got "Data AI"'],
    ['category', 'testing\n', 'category must be a slug of the characters a-z, 0-9 and -, got "testing\\n"'],
    ['category', ['testing'], 'category must be a slug of the characters a-z, 0-9 and -, got an array'],
    ['occupation', '15_0000', 'occupation must be a slug of the characters a-z, 0-9 and -, got "15_0000"'],
    ['occupation', 'töpfer', 'occupation must be a slug of the characters a-z, 0-9 and -, got "töpfer"'],
    ['author', '', 'author must be a user name of 1 to 200 characters, got ""'],
    ['author', ' \t', 'author must be a user name of 1 to 200 characters, got " \\t"'],
    ['author', 7, 'author must be a user name of 1 to 200 characters, got 7'],
    ['copies', 'all', 'copies must be one of collapse, keep, got "all"'],
  ])('%s: %s', (parameter, value, message) => {
    expect(errorOf({ q: 'a', [parameter]: value })).toMatchObject({ code: 'INVALID_PARAMETER', message, parameter });
  });

  test('an author may have 200 characters, counted in code points', () => {
    expect(resolveKeywordQuery({ q: 'a', author: '𠮷'.repeat(200) }).author).toBe('𠮷'.repeat(200));
    for (const author of ['a'.repeat(201), '𠮷'.repeat(201), 'a'.repeat(10_000_000)]) {
      expect(errorOf({ q: 'a', author })).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'author' });
    }
  });

  test('does not repeat a long value in full', () => {
    const { message } = errorOf({ q: 'a', category: 'A'.repeat(100_000) });
    expect(message.length).toBeLessThan(200);
  });

  test('is told in one line, whatever stands in it', () => {
    const { message } = errorOf({ q: 'a', sortBy: 'a\nb\u001b[31m\u2028' });
    expect(message).not.toMatch(/[\n\u001b]/);
  });

  test('with several faults is told of the first in the order q, page, limit, sortBy, category, occupation, author, copies', () => {
    const faults = { q: '!', page: 0, limit: 0, sortBy: 'x', category: 'X', occupation: 'X', author: '', copies: 'x' };
    const order = Object.keys(faults);

    fc.assert(
      fc.property(fc.subarray(order, { minLength: 1 }), (wrong) => {
        const query = { q: 'a', ...Object.fromEntries(wrong.map((key) => [key, faults[key as keyof typeof faults]])) };
        const first = order.find((key) => wrong.includes(key));
        expect(errorOf(query).parameter).toBe(first);
      }),
    );
  });

  test('may be no object at all', () => {
    expect(errorOf(undefined)).toMatchObject({ code: 'MISSING_QUERY' });
    expect(errorOf(null)).toMatchObject({ code: 'MISSING_QUERY' });
  });
});

function errorOf(query: unknown): SkillSearchError {
  try {
    resolveKeywordQuery(query as KeywordQuery);
  } catch (error) {
    if (error instanceof SkillSearchError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
