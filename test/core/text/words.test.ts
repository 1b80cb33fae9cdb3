import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isPartKind,
  MAX_TERM_LENGTH,
  mapNormalised,
  normaliseText,
  readWords,
  typedWord,
} from '../../../src/core/index.js';

describe('words', () => {
  const terms = (text: string): string[] => readWords(text).map((token) => token.term);
  const parts = (text: string): string[] =>
    readWords(text)
      .filter((t) => isPartKind(t.kind))
      .map((t) => t.term);
  const wholes = (text: string): string[] =>
    readWords(text)
      .filter((t) => !isPartKind(t.kind))
      .map((t) => t.term);

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
    const fragment = fc.constantFrom(..."react Testing GitHub node.js - _ . 数据 é ß + # 's 😀 1".split(' '), ' ');
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

  test('reads any text without failing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readWords(text)));
    expect(readWords('\ud800 \udc00\ud800x').map((t) => t.term)).toEqual(['x']);
  });
});

describe('growing characters', () => {
  const FORMS: readonly ((character: string) => string)[] = [
    (character) => character.normalize('NFKC'),
    (character) => character.normalize('NFKD'),
    (character) => character.toLowerCase(),
    (character) => character.toUpperCase(),
  ];

  /** Every character that becomes more than four times as long. */
  const GROWING: readonly string[] = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => FORMS.some((form) => form(character).length > 4 * character.length),
  );

  /** What is read of a text of this length at most. */
  const most = (length: number): number => 2 * length + 64;

  const LENGTH = 4000;
  const TEXTS = GROWING.flatMap((character) => [
    character.repeat(LENGTH),
    `${character} `.repeat(LENGTH / 2),
    `kite ${character.repeat(LENGTH - 10)}kite`,
  ]);

  test('characters grow, and some to eighteen', () => {
    expect(GROWING).toContain('\ufdfa');
    expect(GROWING.length).toBeGreaterThan(5);
  });

  describe('a text of characters that grow', () => {
    test('is normalised to twice its length at most, and 64, and no shorter', () => {
      // Three letters each.
      expect(normaliseText('\ufb03'.repeat(64))).toBe('ffi'.repeat(64));
      expect(normaliseText('\ufb03'.repeat(65))).toBe('ffi'.repeat(65).slice(0, most(65)));
      for (const text of TEXTS) expect(normaliseText(text).length).toBeLessThanOrEqual(most(text.length));
    });

    test('has the form of all of it where that is no longer, however long it is', () => {
      for (const [i, piece] of [
        'e\u0301 ',
        'caf\u00e9\u0301',
        '\u4f60\u597d\uff0c',
        '\ud83d\ude00\u0307',
        '\u1112\u1161\u11ab',
        '\ufb01n',
      ].entries()) {
        for (const length of [4000, 4096, 8191, 8192, 8193, 20_000]) {
          const text = `${'x'.repeat(i)}${piece.repeat(length)}`.slice(0, length);
          expect(normaliseText(text)).toBe(text.normalize('NFKC'));
        }
      }
    });

    // Sorting marks takes time by the square of a run: of this one a minute at once, tenths of a second in pieces.
    test('costs by its length where marks follow each other without end', () => {
      const before = process.cpuUsage().user;
      expect(normaliseText(`a${'\u0300\u0316'.repeat(200_000)}`).length).toBeGreaterThan(390_000);
      expect(process.cpuUsage().user - before).toBeLessThan(10_000_000);
    });

    test('keeps its offsets', () => {
      for (const text of TEXTS) {
        const { normalised, toOriginal } = mapNormalised(text);
        expect(normalised.length).toBeLessThan(most(text.length) + 20);
        expect(toOriginal(0)).toBe(0);
        expect(toOriginal(normalised.length)).toBeLessThanOrEqual(text.length);
      }
    });
  });
});

describe('the word that somebody is typing', () => {
  test.each([
    ['git wor', 'git ', 'wor'],
    ['W', '', 'w'],
    ['react-Tes', 'react-', 'tes'],
    ['node.j', 'node.', 'j'],
    ['say "git wor', 'say "git ', 'wor'],
    ['ÉCO', '', 'éco'],
    ['ﬁle', '', 'file'],
    ['数据abc', '数据', 'abc'],
    ["'quoted", "'", 'quoted'],
  ])('of %j stands behind %j', (text, before, letters) => {
    expect(typedWord(text)).toEqual({ before, letters });
  });

  test.each(['', ' ', 'git ', 'git,', 'c++', '"git"', "don't", 'don’t', '数据', 'テスト', '!?'])(
    'is none in %j',
    (text) => {
      expect(typedWord(text)).toBeUndefined();
    },
  );
});
