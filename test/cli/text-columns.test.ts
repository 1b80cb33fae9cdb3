import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitColumns, pad, widthOf, wrapRanges } from '../../src/cli/text-columns.js';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyColumns = fc.integer({ min: 2, max: 40 });
const words = fc
  .array(fc.constantFrom('a', 'skill', '测试技能', 'テスト', 'x'.repeat(30), '👩‍👩‍👧', 'e\u0301', '—', '.'), {
    maxLength: 20,
  })
  .map((parts) => parts.join(' '));

describe('columns', () => {
  test('are filled up to a width, and left alone beyond it', () => {
    expect(pad('技能', 6)).toBe('技能  ');
    expect(pad('skill', 3)).toBe('skill');
  });

  test('cut a text to what fits, with an ellipsis only where something is left out', () => {
    expect(fitColumns('技能测试', 8)).toBe('技能测试');
    expect(fitColumns('技能测试', 7)).toBe('技能测…');
    expect(fitColumns('技能测试', 6)).toBe('技能…');
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        const cut = fitColumns(text, columns);
        expect(widthOf(cut)).toBeLessThanOrEqual(columns);
        expect(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))).toBe(true);
      }),
    );
  });

  test('breaks a text between words, and a word only where it is longer than a line', () => {
    const wrap = (text: string, columns: number): string[] =>
      wrapRanges(text, columns).map(([start, end]) => text.slice(start, end).trimEnd());
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('one two, (three).', 9)).toEqual(['one two,', '(three).']);
    expect(wrap('one two, (three).', 7)).toEqual(['one', 'two,', '(three)', '.']);
    expect(wrap('see git-log-tidy', 12)).toEqual(['see', 'git-log-tidy']);
    expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
    expect(wrap('数据分析工具', 5).every((line) => widthOf(line) <= 5)).toBe(true);
    expect(wrap('', 7)).toEqual([]);
    expect(wrap('   ', 7)).toEqual([]);
  });

  test('breaks any text into lines that fit and that hold all of it but white space', () => {
    fc.assert(
      fc.property(words, anyColumns, (whole, columns) => {
        const lines = wrapRanges(whole, columns).map(([start, end]) => whole.slice(start, end));
        for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
      }),
    );
  });

  test('breaks texts without rare characters as the rules of Unicode do', () => {
    const letters = fc.constantFrom(...'abz019 -_.,:;\'"()/&@[]{}#+*%~éßŁÖ×–—‘’“”•…→');
    const plain = fc.array(letters, { maxLength: 80 }).map((all) => all.join(''));
    fc.assert(
      fc.property(plain, anyColumns, (text, columns) => {
        // A mark that takes no column asks for the rules, and is no word.
        const byRules = wrapRanges(`${text} \u200b`, columns).map(([start, end]) => text.slice(start, end));
        const shown = (lines: string[]): string[] => lines.map((line) => line.trimEnd()).filter((line) => line !== '');
        expect(shown(wrapRanges(text, columns).map(([start, end]) => text.slice(start, end)))).toEqual(shown(byRules));
      }),
      { numRuns: 1000 },
    );
  });
});
