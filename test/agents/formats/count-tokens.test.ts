import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens } from '../../../src/agents/formats/index.js';
import { keptSizes, TOKEN_CACHE_WORDS, textSize } from '../../../src/agents/formats/text-size.js';

/** Texts with their counts by o200k and cl100k, as counted with the package gpt-tokenizer. */
const COUNTED: readonly (readonly [text: string, o200k: number, cl100k: number])[] = [
  ['Überprüfung größerer Straßenkarten', 6, 11],
  ['Zażółć gęślą jaźń', 11, 12],
  ['中文'.repeat(20), 20, 40],
  ['한글'.repeat(20), 40, 40],
  ['ゟ'.repeat(10), 20, 20],
  ['ქართული ტექსტი', 4, 27],
  ['שלום עולם זה טקסט', 6, 21],
];

test.each(COUNTED)('%s counts at least as much as with the tokenizers of other models', (text, o200k, cl100k) => {
  expect(countTokens(text)).toBeGreaterThanOrEqual(Math.max(o200k, cl100k));
});

test('a text counts by its length, whatever it is made of, though the vocabulary knows none of it', () => {
  expect(countTokens('')).toBe(0);
  for (const unit of ['🎉', 'ᚠ', 'q7Xz', '\u0301', '\u0000', '\u200b', '\u{e0041}', '\ud800', '龘', 'ไทย']) {
    const once = countTokens(unit.repeat(100));
    expect(once).toBeGreaterThanOrEqual(40);
    expect(countTokens(unit.repeat(1000))).toBeGreaterThan(8 * once);
  }
});

test('texts that meet in a sign are as large together as the sum of their sizes', () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.lorem(), fc.constantFrom('漢字', 'é', '🦊', '&amp;')),
  );
  fc.assert(
    fc.property(texts, (parts) => {
      const enclosed = parts.map((part) => `<${part}>`);
      expect(textSize(enclosed.join(''))).toBe(enclosed.reduce((sum, part) => sum + textSize(part), 0));
    }),
  );
});

test('keeps the sizes of so many words at most', () => {
  for (let i = 0; i <= TOKEN_CACHE_WORDS; i++) textSize(i.toString(36));
  expect(keptSizes()).toBeLessThanOrEqual(TOKEN_CACHE_WORDS);
});
