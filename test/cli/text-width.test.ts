import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/text-columns.js';

describe('the columns of a text', () => {
  test('are two for East Asian characters and none for marks', () => {
    expect([widthOf('pdf'), widthOf('技能'), widthOf('テ'), widthOf('한'), widthOf('e\u0301')]).toEqual([
      3, 4, 2, 2, 1,
    ]);
  });

  test('are those that the package counts, for each character', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x1ffff; code++) {
      const character = String.fromCodePoint(code);
      if (widthOf(character) !== stringWidth(character)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test('are those that the package counts, for characters that join others', () => {
    const parts = ['a', 'é', '★', '…', '技', 'テ', '한', '✅', '😀', '🚀', '©', '1', '⚠', '→', 'ﾊ', 'य', ' '];
    const joining = ['\ufe0f', '\u200d', '\u20e3', '\u0301', '\u3099', 'ﾞ', '\u11a8', '🏽', '🇩', '\u001b[1m'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...parts, ...joining), { maxLength: 8 }), (characters) => {
        const text = characters.join('');
        expect(widthOf(text)).toBe(stringWidth(text));
      }),
      { numRuns: 2000 },
    );
  });
});
