import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningsOf } from '../../../src/core/index.js';
import { readTraditionalCharacters, simplify } from '../../../src/core/text/characters.js';
import { keyOfNormalised, MAX_BEGINNINGS } from '../../../src/core/text/keys.js';

describe('name key', () => {
  test('a key keeps the letters, digits and signs of ASCII that it keeps of other texts', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
    expect(keyOfNormalised(`${ascii}ß`)).toBe(`${keyOfNormalised(ascii)}ss`);
    expect(keyOfNormalised(ascii)).toBe('#+0123456789abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz');
  });
});

describe('the first whole words of a name', () => {
  test.each([
    ['react-testing-library', ['react', 'reacttesting']],
    ['React Testing  Library', ['react', 'reacttesting']],
    ['react_testing.library', ['react', 'reacttesting']],
    ['reactTestingLibrary', ['react', 'reacttesting']],
    ['react', []],
    ['(react)', []],
    ['', []],
  ])('of %s, without case, white space and punctuation, but not all of them', (name, beginnings) => {
    expect(beginningsOf(name)).toEqual(beginnings);
  });

  test('leave a name in PascalCase whole', () => {
    expect(beginningsOf('JavaScript linter')).toEqual(['javascript']);
    expect(beginningsOf('GitHub-Actions')).toEqual(['github']);
  });

  test('may be parts of words with dots, with their signs', () => {
    expect(beginningsOf('Node.js server')).toEqual(['node', 'nodejs']);
    expect(beginningsOf('C++ style guide')).toEqual(['c++', 'c++style']);
    expect(beginningsOf('C# basics')).toEqual(['c#']);
  });

  test('have a possessive or not', () => {
    expect(beginningsOf("user's guide")).toEqual(['user', 'users']);
  });

  test('keep their accents', () => {
    expect(beginningsOf('Résumé builder')).toEqual(['résumé']);
  });

  test('are two characters or more of a text without spaces, or all of it up to other text', () => {
    expect(beginningsOf('数据库设计')).toEqual(['数据', '数据库', '数据库设']);
    expect(beginningsOf('用react测试工具')).toEqual(['用', '用react', '用react测试', '用react测试工']);
    expect(beginningsOf('𠮷野家の本')).toEqual(['𠮷野', '𠮷野家', '𠮷野家の']);
    expect(beginningsOf('테스트 자동화')).toEqual(['테스', '테스트', '테스트자동']);
  });

  test('are not more than some, however long a name is', () => {
    const beginnings = beginningsOf('a b c '.repeat(30));
    expect(beginnings).toHaveLength(MAX_BEGINNINGS);
    expect(beginnings[0]).toBe('a');
    expect(beginnings.at(-1)).toBe('abcabcabcabcabca');
  });
});

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
