import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPartKind, MAX_TERM_LENGTH, normaliseText, readWords, visitWords } from '../../../src/core/index.js';
import { readNormalisedWords } from '../../../src/core/text/words.js';
import { naiveWords } from './naive-words.js';

const terms = (text: string): string[] => readWords(text).map((token) => token.term);
const parts = (text: string): string[] =>
  readWords(text)
    .filter((t) => isPartKind(t.kind))
    .map((t) => t.term);
const wholes = (text: string): string[] =>
  readWords(text)
    .filter((t) => !isPartKind(t.kind))
    .map((t) => t.term);

describe('words', () => {
  test.each([
    ['plain words, case aside', 'Write Unit tests', ['write', 'unit', 'tests']],
    ['accents kept in the term', 'RÉSUMÉ', ['résumé']],
    ['sharp s and the two sigmas', 'STRASSE straße ΟΔΟΣ', ['strasse', 'strasse', 'οδοσ']],
    ['compatibility forms', 'ﬁle ＡＢＣ ①', ['file', 'abc', '1']],
    ['decomposed accents', 'cafe\u0301', ['café']],
    ['invisible characters inside a word', 're\u200bact te\u00adst', ['react', 'test']],
    ['the possessive', "the user's guide", ['the', 'user', 'guide']],
    ['digits inside words', 'base64 k8s utf8 gpt4', ['base64', 'k8s', 'utf8', 'gpt4']],
    ['words with plus signs and a hash', 'C++ g++ C# F#', ['c++', 'g++', 'c#', 'f#']],
    ['a hash tag and a number sign', '#tag issue#12', ['tag', 'issue', '12']],
    ['no hump of one letter', 'iPhone eBay vLLM iOS', ['iphone', 'ebay', 'vllm', 'ios']],
    ['plurals of capitals', 'APIs LLMs', ['apis', 'llms']],
    ['vowel signs of Indic scripts', 'हिन्दी', ['हिन्दी']],
    ['joiners at the ends', '--flag _private- -', ['flag', 'private']],
    ['nothing in punctuation and emoji', '… — 🎉 !?', []],
  ])('reads %s', (_, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test.each([
    ['react-testing', ['react', 'testing'], ['reacttesting']],
    ['react_testing', ['react', 'testing'], ['reacttesting']],
    ['reactTesting', ['react', 'testing'], ['reacttesting']],
    ['ReactTesting', ['react', 'testing'], ['reacttesting']],
    ['XMLHttpRequest', ['xml', 'http', 'request'], ['xmlhttprequest']],
    ['end‑to‐end', ['end', 'to', 'end'], ['endtoend']],
    ['foo__bar', ['foo', 'bar'], ['foobar']],
    ['Node.js', ['node', 'js'], ['nodejs']],
    ['U.S.A.', ['u', 's', 'a'], ['usa']],
    ['v1.2.3', ['v1', '2', '3'], ['v1.2.3']],
    ['.net', ['net'], ['.net']],
    ['GitHub-Actions', ['git', 'hub', 'actions'], ['github', 'githubactions']],
    ['JavaScript-based', ['java', 'script', 'based'], ['javascript', 'javascriptbased']],
  ])('takes %s apart and keeps it as a whole', (text, expectedParts, expectedWholes) => {
    expect(parts(text)).toEqual(expectedParts);
    expect(wholes(text)).toEqual(expectedWholes);
  });

  test('does not take the end of a sentence for a dotted word', () => {
    expect(terms('Done. Next step...')).toEqual(['done', 'next', 'step']);
    expect(wholes('see ../src')).toEqual([]);
  });

  test('reads Chinese, Japanese, Korean, Thai, Lao and Khmer by overlapping pairs and the last character', () => {
    expect(terms('数据分析')).toEqual(['数据', '据分', '分析', '析']);
    expect(terms('データ')).toEqual(['デー', 'ータ', 'タ']);
    expect(terms('한글')).toEqual(['한글', '글']);
    expect(terms('ไทย')).toEqual(['ไท', 'ทย', 'ย']);
    expect(terms('ລາວ')).toEqual(['ລາ', 'າວ', 'ວ']);
    expect(terms('ខ្មែរ').at(-1)).toBe('រ');
    expect(terms('用React测试')).toEqual(['用', 'react', '测试', '试']);
    expect(terms('𠀀𠀁')).toEqual(['𠀀𠀁', '𠀁']);
  });

  test('numbers the finest parts one after the other, and lets a whole span its parts', () => {
    const tokens = readWords('write JavaScript-based tests');
    expect(tokens.map(({ term, position, span }) => [term, position, span])).toEqual([
      ['write', 0, 1],
      ['java', 1, 1],
      ['script', 2, 1],
      ['javascript', 1, 2],
      ['based', 3, 1],
      ['javascriptbased', 1, 3],
      ['tests', 4, 1],
    ]);
  });

  test('cuts very long words, never through a character', () => {
    expect(terms('a'.repeat(1000))).toEqual(['a'.repeat(MAX_TERM_LENGTH)]);
    const astral = '𝼀'.repeat(100);
    expect(terms(`a${astral}`)[0]?.isWellFormed()).toBe(true);
  });

  test('gives every token the place of its term in the normalised text', () => {
    const fragment = fc.constantFrom(
      'react',
      'Testing',
      'GitHub',
      'node.js',
      '-',
      '_',
      '.',
      ' ',
      '数据',
      'é',
      'ß',
      '+',
      '#',
      "'s",
      '😀',
      '1',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
        const text = fragments.join('');
        const normalised = normaliseText(text);
        let positions = 0;
        for (const { term, kind, position, span, start, end } of readWords(text)) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(normalised.length);
          if (isPartKind(kind)) {
            expect([position, span]).toEqual([positions, 1]);
            positions += 1;
            expect(normalised.slice(start, end).toLowerCase().replaceAll('ß', 'ss').slice(0, MAX_TERM_LENGTH)).toBe(
              term,
            );
          } else {
            expect(position + span).toBeLessThanOrEqual(positions);
          }
        }
      }),
    );
  });

  test('are the same by the short way that most words go', () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(..."abzABZ019.-_+#'\u2019 ".split('')) },
      fc.constantFrom('++', '#', "'s", '.', '..', '-', '--', '__', '\u2010', '\u2011', ' ', '\n', '/'),
      fc.constantFrom('word', 'Word', 'WORD', 'camelCase', 'PascalCase', 'XMLHttp', 'APIs', 'iPhone', 'A1BC', 'x2'),
      fc.constantFrom(
        'é',
        'É',
        'e\u0301',
        'ß',
        'İ',
        'ς',
        '\u0301',
        '½',
        '𝼀',
        '😀',
        '数据',
        '𠀀',
        'ไทย',
        'ー',
        '\u{10400}',
      ),
      fc.constantFrom('a'.repeat(64), 'B'.repeat(65), `${'c'.repeat(63)}é`),
    );
    const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (any) => {
        const tokens = naiveWords(any);
        expect(readNormalisedWords(any)).toEqual(tokens);
        const parts = tokens.filter(({ kind }) => isPartKind(kind)).length;
        expect(visitWords(any, () => undefined)).toBe(parts);
      }),
      { numRuns: 3000 },
    );
  });

  test('reads any text without failing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readWords(text)));
    expect(readWords('\ud800 \udc00\ud800x').map((t) => t.term)).toEqual(['x']);
  });
});
