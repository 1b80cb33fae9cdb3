import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  cleanLine,
  type DocumentNumber,
  type SkillNumber,
  type TermNumber,
  trimWhiteSpace,
  type VectorNumber,
  type VectorPlace,
} from '../../src/core/index.js';

describe('a cleaned line', () => {
  test.each([
    ['ends of lines', 'a\r\nb\u2028c\u2029d\u0085e', 'a b c d e'],
    ['control characters', 'a\u0007b\u001b[1mc', 'a b [1mc'],
    ['bidirectional controls', 'a\u202eb\u2066c\u061cd\u200fe', 'abcde'],
    ['zero widths', 'a\u200bb\u2060c\u2065d\ufeffe', 'abcde'],
    ['joiners between letters that need none', 'a\u200db\u200cc', 'abc'],
    ['variation selectors', 'a\ufe0f\ufe00b\u{e0100}\u{e01ef}c', 'abc'],
    ['tags', 'a\u{e0041}\u{e007f}b', 'ab'],
    ['fillers', 'a\u00adb\u034fc\u115fd\u180ee\u3164f\u2800g\uffa0h', 'abcdefgh'],
    ['what no XML may hold', 'a\ufffeb\uffffc', 'abc'],
    ['halves of pairs, of which nothing may arise', 'a\udb40\u200b\udc41b', 'a b'],
    ['a row of selectors behind an emoji', '🎉\ufe0f\ufe00\ufe0f\u{e0100}', '🎉\ufe0f'],
    ['a row of joiners behind a letter that takes one', 'می\u200c\u200d\u200cخواهم', 'می\u200cخواهم'],
    ['blanks around what is hidden', ' a \u200b b\u00a0 ', 'a b'],
  ])('has no %s', (_, text, expected) => {
    expect(cleanLine(text)).toBe(expected);
  });

  test.each([['می‌خواهم'], ['क्‍ष'], ['❤️'], ['☎︎'], ['1️⃣'], ['👩🏽‍💻'], ['🏳️‍🌈'], ['naïve café, 日本語 and 한국어']])(
    'keeps %s as it is',
    (text) => {
      expect(cleanLine(text)).toBe(text);
    },
  );
});

describe('trim white space', () => {
  test('what is trimmed is what Unicode calls white space, for each character', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      const expected = /\p{White_Space}/u.test(character) ? 'a' : `${character}a${character}`;
      if (trimWhiteSpace(`${character}a${character}`) !== expected) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('white space inside a text stays', () => {
    expect(trimWhiteSpace('\u3000 a \t b\n')).toBe('a \t b');
  });
});

describe('numbers', () => {
  test('a number of one kind cannot stand for one of another kind', () => {
    expectTypeOf<DocumentNumber>().not.toExtend<TermNumber>();
    expectTypeOf<DocumentNumber>().not.toExtend<SkillNumber>();
    expectTypeOf<SkillNumber>().not.toExtend<DocumentNumber>();
    expectTypeOf<VectorPlace>().not.toExtend<DocumentNumber>();
    expectTypeOf<VectorNumber>().not.toExtend<VectorPlace>();
  });

  test('a plain number can stand for any of them, and each of them for a plain number', () => {
    expectTypeOf<number>().toExtend<DocumentNumber>();
    expectTypeOf<number>().toExtend<VectorPlace>();
    expectTypeOf<TermNumber>().toExtend<number>();
  });
});
