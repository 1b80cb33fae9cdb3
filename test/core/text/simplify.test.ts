import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTraditionalCharacters, simplify } from '../../../src/core/text/characters.js';

describe('simplified Chinese', () => {
  test.each([
    ['記憶', '记忆'],
    ['檔案壓縮工具', '档案压缩工具'],
    ['後 and 后', '后 and 后'],
    ['把PDF轉成Word', '把PDF转成Word'],
  ])('of %s is %s', (traditional, simplified) => {
    expect(simplify(traditional)).toBe(simplified);
  });

  test.each(['resume', 'データ分析', '테스트', '已经简化', '\u{20000}'])('leaves %s as it is', (text) => {
    expect(simplify(text)).toBe(text);
  });

  test('is as long as the text, and simple already', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...readTraditionalCharacters(), 'a', ' ', '\u{20000}') }),
        (text) => {
          const simplified = simplify(text);
          expect(simplified).toHaveLength(text.length);
          expect(simplify(simplified)).toBe(simplified);
        },
      ),
    );
  });

  test('is known of each traditional character once', () => {
    const pairs = readTraditionalCharacters();
    const traditional = [...pairs].filter((_, i) => i % 2 === 0);
    expect(pairs).toMatch(/^[\u4e00-\u9fff]+$/);
    expect(pairs.length).toBe(2 * 2853);
    expect(new Set(traditional).size).toBe(pairs.length / 2);
  });
});
