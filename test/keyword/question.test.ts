import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldAccents } from '../../src/core/index.js';
import { LISTED_LANGUAGES } from '../../src/core/text/function-words.js';
import {
  MAX_QUESTION_WORDS,
  mayBeStopWord,
  readQuestion,
  readStopWords,
  STOP_WORDS,
  stopWordsOf,
} from '../../src/keyword/index.js';
import { SHORT_QUESTIONS } from '../core/text/short-questions.js';

describe('question', () => {
  const words = (text: string): string[] => readQuestion(text).words.map((word) => word.terms.join('|'));
  const looseWords = (text: string): string[] => readQuestion(text).looseWords.map((word) => word.terms.join('|'));

  describe('a question', () => {
    test('asks for all parts of a compound, or for the whole of it', () => {
      expect(words('react-testing')).toEqual(['react|reacttesting', 'testing|reacttesting']);
      expect(words('reactTesting')).toEqual(words('react_testing'));
    });

    test('keeps dotted words and c++ whole', () => {
      expect(words('node.js c++ .net c#')).toEqual(['nodejs', 'c++', '.net', 'c#']);
    });

    test('keeps PascalCase whole at first and takes it apart later', () => {
      expect(words('GitHub Actions')).toEqual(['github', 'actions']);
      expect(looseWords('GitHub Actions')).toEqual(['git|github', 'hub|github', 'actions']);
    });

    test('leaves stop words out, unless there is nothing else or they are quoted or part of a compound', () => {
      expect(words('how to write the tests')).toEqual(['write', 'tests']);
      expect(words('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
      expect(words('"to do" list')).toEqual(['to', 'do', 'list']);
      expect(words('end-to-end')).toEqual(['end|endtoend', 'to|endtoend']);
    });

    test('leaves out the stop words it is given, case and accents aside, instead of the usual ones', () => {
      const chosen = (text: string, stopWords: readonly string[]): string[] =>
        readQuestion(text, readStopWords(stopWords)).words.map(({ terms }) => terms.join('|'));
      expect(chosen('Bitte die Tests für Résumés', ['DIE', 'fur', 'bitte'])).toEqual(['tests', 'résumés']);
      expect(chosen('RESUMES', ['résumes'])).toEqual(['resumes']);
      expect(chosen("don't the tests", ["don't"])).toEqual(['the', 'tests']);
      expect(chosen('node.js to c#', ['Node.js', 'c#'])).toEqual(['to']);
      expect(chosen('how to write the tests', [])).toEqual(['how', 'to', 'write', 'the', 'tests']);
      expect(chosen('how to write the tests', [...STOP_WORDS, 'write'])).toEqual(['tests']);
    });

    test.each([
      ['the', 'stopWords must be a list of words, got "the"'],
      [7, 'stopWords must be a list of words, got 7'],
      [null, 'stopWords must be a list of words, got null'],
      [['a', 7], 'stopWords must be words, got 7'],
      [['how to'], 'stopWords must be single words, got "how to"'],
      [['e-mail'], 'stopWords must be single words, got "e-mail"'],
      [[''], 'stopWords must be single words, got ""'],
      [['--'], 'stopWords must be single words, got "--"'],
    ])('takes no stop words such as %j', (words, message) => {
      expect(() => readStopWords(words)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', message }));
    });

    test('asks for a word once however often it is repeated', () => {
      expect(words('test Test TEST tests')).toEqual(['test', 'tests']);
    });

    test('knows the last word even where it came before', () => {
      expect(readQuestion('testing react testing').lastWord?.terms).toEqual(['testing']);
      expect(readQuestion('react for').lastWord?.terms).toEqual(['react']);
    });

    test('asks for the pairs of a text without spaces, and for a single character by itself', () => {
      expect(words('数据分析')).toEqual(['数据', '据分', '分析']);
      expect(words('析')).toEqual(['析']);
      expect(words('用react')).toEqual(['用', 'react']);
    });

    test('counts a word once, and the pairs of a text without spaces together as its words', () => {
      const weights = readQuestion('react 数据分析 数据').looseWords.map(({ terms, weight }) => [terms[0], weight]);
      expect(weights).toEqual([
        ['react', 1],
        ['数据', 1],
        ['据分', 2 / 3],
        ['分析', 2 / 3],
      ]);
    });

    test.each([
      ['straight', '"pull request" review'],
      ['typographic', '“pull request” review'],
      ['German', '„pull request“ review'],
    ])('reads phrases in %s quotation marks', (_, text) => {
      const { phrases } = readQuestion(text);
      expect(phrases.map((phrase) => phrase.tokens.map((token) => token.term))).toEqual([['pull', 'request']]);
    });

    test('quotes nothing with an unbalanced or empty pair of marks', () => {
      expect(readQuestion('5" pipe').phrases).toEqual([]);
      expect(readQuestion('"" pipe').phrases).toEqual([]);
      expect(readQuestion('"a b" "c d').phrases).toHaveLength(1);
    });

    test(`uses at most ${MAX_QUESTION_WORDS} distinct words`, () => {
      const many = Array.from({ length: 100 }, (_, i) => `w${i}`);
      expect(words(many.join(' '))).toEqual(many.slice(0, 64));
      expect(words(`${'same '.repeat(100)} other`)).toEqual(['same', 'other']);
      const chinese = String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x4e00 + i));
      expect(words(chinese)).toHaveLength(64);
    });
  });

  test('A question of one plain word is read as among others, whatever the word', () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,70}$/);
    const stopWords = fc.constantFrom(undefined, new Set(['the', 'react']));
    fc.assert(
      fc.property(
        fc.oneof(word, fc.constantFrom(...STOP_WORDS, 'react', 'c', '3d', 'para', 'die')),
        stopWords,
        (q, left) => {
          const { text, lastWord, ...question } = readQuestion(q, left);
          // A blank behind the word asks for the same, and is no plain word.
          const { text: _, lastWord: last, ...general } = readQuestion(`${q} `, left);
          expect(text).toBe(q);
          expect(question).toEqual(general);
          expect([lastWord?.terms, lastWord?.weight]).toEqual([last?.terms, last?.weight]);
        },
      ),
    );
  });
});

const wordsOf = (text: string, stopWords?: Iterable<string>): string[] =>
  readQuestion(text, readStopWords(stopWords)).words.map(({ terms }) => terms[0]!);

const QUESTIONS = Object.values(SHORT_QUESTIONS).flat();

describe('the stop words of a question', () => {
  test.each([
    ['wie schreibe ich bitte unit tests für react', 'de', ['schreibe', 'unit', 'tests', 'react']],
    ['quiero crear una presentación sobre el clima', 'es', ['crear', 'presentación', 'clima']],
    ['je voudrais créer une présentation sur l’emploi', 'fr', ['créer', 'présentation', 'emploi']],
    ['gostaria de criar uma apresentação para o conselho', 'pt', ['criar', 'apresentação', 'conselho']],
    ['vorrei creare una presentazione sul clima', 'it', ['creare', 'presentazione', 'clima']],
    ['ik wil een presentatie over het klimaat', 'nl', ['presentatie', 'klimaat']],
    ['chcę prezentację o klimacie, proszę', 'pl', ['prezentację', 'klimacie']],
    ['jag vill ha en presentation om klimatet', 'sv', ['presentation', 'klimatet']],
    ['iklim hakkında bir sunum istiyorum lütfen', 'tr', ['iklim', 'sunum']],
    ['potřebuji prezentaci o klimatu, prosím', 'cs', ['prezentaci', 'klimatu']],
    ['jeg vil gerne have en præsentation om klimaet', 'da', ['gerne', 'præsentation', 'klimaet']],
    ['tolong buat presentasi tentang iklim', 'id', ['buat', 'presentasi', 'iklim']],
    ['помогите мне с презентацией о климате', 'ru', ['презентацией', 'климате']],
    ['допоможіть мені з презентацією про клімат', 'uk', ['презентацією', 'клімат']],
    ['أريد عرض عن المناخ من فضلك', 'ar', ['عرض', 'المناخ']],
  ])('of “%s” are those of its language', (question, language, words) => {
    expect(readQuestion(question).language).toBe(language);
    expect(wordsOf(question)).toEqual(words);
  });

  test('of a Japanese one are pairs of characters in endings and particles', () => {
    expect(wordsOf('請求書をまとめてください')).toEqual(['請求', '求書', '書を', 'をま', 'まと', 'とめ', 'めて']);
    expect(wordsOf('たまごのレシピ')).toEqual(wordsOf('たまごのレシピ', []));
  });

  test('are English ones in a question that shows no language', () => {
    expect(readQuestion('vite for node').language).toBe('en');
    expect(wordsOf('vite for node')).toEqual(['vite', 'node']);
  });

  test.each([
    ['die cut stickers', ['die', 'cut', 'stickers']],
    ['the van rental app', ['van', 'rental', 'app']],
    ['the son of sam', ['son', 'sam']],
  ])('of “%s” are not those of another language', (question, words) => {
    expect(wordsOf(question)).toEqual(words);
  });

  test('do not depend on what is quoted', () => {
    expect(readQuestion('what is the meaning of "wie schreibe ich das"').language).toBe('en');
    expect(readQuestion('"wie schreibe ich das"').language).toBe('de');
    expect(wordsOf('"das war schon immer so"')).toEqual(['das', 'war', 'schon', 'immer', 'so']);
  });

  test('all count in a question that has no other words', () => {
    expect(wordsOf('was ist das für eine')).toEqual(['was', 'ist', 'das', 'für', 'eine']);
    expect(wordsOf('что это такое? это она')).toEqual(['такое']);
    expect(wordsOf('что это?')).toEqual(['что', 'это']);
  });

  test('of other languages are never left out', () => {
    const foreign = LISTED_LANGUAGES.flatMap((language) => [...stopWordsOf(language)]);
    const anyWords = fc.array(fc.constantFrom(...foreign, ...STOP_WORDS), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...QUESTIONS), anyWords, (question, more) => {
        const text = [question, ...more].join(' ');
        const { language, looseWords } = readQuestion(text);
        const own = stopWordsOf(language);
        const all = readQuestion(text, new Set()).looseWords;
        const leftOut = all.filter(({ terms }) => !looseWords.some((word) => word.terms[0] === terms[0]));
        for (const { terms } of leftOut) expect([...own]).toContain(foldAccents(terms[0]!));
      }),
    );
  });

  test('that somebody chooses replace those of all languages', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUESTIONS), (question) => {
        const all = readQuestion(question, new Set()).words;
        const single = all.find(({ terms: [term] }) => /^[a-z]{2,}$/.test(term!));
        // The part of a compound is no stop word.
        fc.pre(single?.terms.length === 1 && all.length > 1);
        const chosen = single!.terms[0]!;
        const left = all.map(({ terms }) => terms[0]!).filter((term) => foldAccents(term) !== chosen);
        expect(wordsOf(question, [chosen])).toEqual(left);
      }),
    );
  });
});

describe('the lists of stop words', () => {
  test('leave English as it is exported', () => {
    expect([...stopWordsOf('en')]).toEqual(STOP_WORDS);
  });

  test('have no words for languages without a list', () => {
    for (const language of ['zh', 'ko', 'vi', 'th', 'hi', 'toString']) expect([...stopWordsOf(language)]).toEqual([]);
  });

  test('are known all together, without finding out the language', () => {
    const listed = ['en', 'ja', ...LISTED_LANGUAGES].flatMap((language) => [...stopWordsOf(language)]);
    expect(listed.filter((term) => !mayBeStopWord(term))).toEqual([]);
    const others = ['react', 'testing', 'pdf', 'erhal', 'postgres', 'ecause'];
    expect(others.filter((term) => mayBeStopWord(term))).toEqual([]);
  });

  test('leave out of a question what those of its language do', () => {
    const some = fc.array(
      fc.constantFrom(
        ...QUESTIONS,
        ...QUESTIONS.flatMap((one) => one.split(' ')),
        'react',
        '"of"',
        'Was',
        'C#',
        '技能',
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(some, (parts) => {
        const question = readQuestion(parts.join(' '));
        expect(readQuestion(parts.join(' '), stopWordsOf(question.language))).toEqual(question);
      }),
      { numRuns: 100 },
    );
  });

  test.each([...LISTED_LANGUAGES, 'ja'])('has terms as texts have them: %s', (language) => {
    const terms = [...stopWordsOf(language)];
    expect(terms.length).toBeGreaterThan(60);
    for (const term of terms) {
      const read = readQuestion(term, new Set()).looseWords.map(({ terms: [first] }) => foldAccents(first!));
      expect(read).toEqual([term]);
    }
  });
});

const weightsIn = (text: string): Record<string, number> =>
  Object.fromEntries(readQuestion(text, new Set()).looseWords.map(({ terms: [term], weight }) => [term, weight]));

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

  test('counts a single character and a word with blanks as a word', () => {
    expect(weightsIn('用react')).toEqual({ 用: 1, react: 1 });
  });

  test('is above 0 and at most 1, whatever is asked', () => {
    const character = fc.constantFrom('数', '据', 'テ', 'ー', 'の', '테', 'ท', 'a', ' ', '-', '。');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 80 }), (text) => {
        for (const weight of Object.values(weightsIn(text))) {
          expect(weight).toBeGreaterThan(0);
          expect(weight).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
