import { describe, expect, test } from 'vitest';
import { cleanLine } from '../../src/core/index.js';

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
