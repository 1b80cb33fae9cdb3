import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWords } from '../../src/core/index.js';
import { weighPairs } from '../../src/keyword/question.js';

function weightsIn(text: string): Record<string, number> {
  return Object.fromEntries([...weighPairs(readWords(text))].map(([{ term }, weight]) => [term, weight]));
}

describe('the weight of pairs of characters', () => {
  test('lets a word of Hangul or Katakana count once, however long it is', () => {
    expect(weightsIn('테스트')).toMatchObject({ 테스: 0.5, 스트: 0.5 });
    expect(weightsIn('データベース')).toMatchObject({ デー: 0.2, ータ: 0.2, タベ: 0.2, ベー: 0.2, ース: 0.2 });
  });

  test('lets every two characters of Chinese count as a word', () => {
    expect(weightsIn('分析')).toMatchObject({ 分析: 1 });
    expect(weightsIn('数据分析')).toMatchObject({ 数据: 2 / 3, 据分: 2 / 3, 分析: 2 / 3 });
  });

  test('counts a pair across two scripts least', () => {
    const weights = weightsIn('データをテスト');
    expect(weights['タを']).toBe(0.25);
    expect(weights['をテ']).toBe(0.25);
    expect(weights['デー']).toBe(0.5);
  });

  test('counts a single character as a word, and leaves words with blanks out', () => {
    expect(weightsIn('用react')).toEqual({ 用: 1 });
  });

  test('is above 0 and at most 1 for every pair and character', () => {
    const character = fc.constantFrom('数', '据', 'テ', 'ー', 'の', '테', 'ท', 'a', ' ', '-', '。');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 30 }), fc.nat(30), (text, cut) => {
        const tokens = readWords(text).slice(0, cut);
        const weights = weighPairs(tokens);
        for (const token of tokens) {
          const weight = weights.get(token);
          if (token.kind !== 'pair' && token.kind !== 'character') expect(weight).toBeUndefined();
          else {
            expect(weight).toBeGreaterThan(0);
            expect(weight).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});
