import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_IN_MEMORY, readWords } from '../../../../src/core/index.js';
import { TermTable } from '../../../../src/keyword/build/term-table.js';
import { StringTable } from '../../../../src/keyword/term-dictionary.js';
import { packStrings } from '../pack-strings.js';

describe('a table of terms', () => {
  test('numbers them in the order of their first coming, in whichever way they come', () => {
    const term = fc.string({
      unit: fc.constantFrom(...'ab1+é数ß\u07ff\uffdc', '\u{20000}'),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(term, fc.boolean()), { maxLength: 60 }), (coming) => {
        const table = new TermTable();
        const expected = new Map<string, number>();
        for (const [one, asBytes] of coming) {
          if (!expected.has(one)) expected.set(one, expected.size);
          const { bytes } = packStrings([one]);
          const number = asBytes ? table.addBytes(bytes, 0, bytes.length) : table.add(one);
          expect(number).toBe(expected.get(one));
        }
        const { bytes, starts } = table.strings;
        const strings = new StringTable({ bytes, starts }, ALL_IN_MEMORY);
        expect(Array.from({ length: table.size }, (_, i) => strings.at(i))).toEqual([...expected.keys()]);
      }),
    );
  });

  test('takes a plain term from its text as it takes the term itself', () => {
    const texts = [
      'Word',
      'C++',
      'snake_case',
      'a-b_c',
      '.net',
      'Node.js',
      'v1.2.3',
      'U.S.A',
      '3.12',
      'x-1.2',
      'a.1-2.b',
    ];
    for (const text of texts) {
      const table = new TermTable();
      const whole = readWords(text).find(({ start, end }) => start === 0 && end === text.length);
      const number = table.add(whole?.term ?? '');
      expect(table.addPlain(` ${text} `, 1, 1 + text.length), text).toBe(number);
    }
  });

  test('keeps terms apart when there are many', () => {
    const table = new TermTable();
    const numbers = Array.from({ length: 50_000 }, (_, i) => table.add(`t${i}`));
    expect(numbers.every((number, i) => number === i)).toBe(true);
    expect(table.addPlain('T49999', 0, 6)).toBe(49_999);
  });
});
