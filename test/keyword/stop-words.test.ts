import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldAccents } from '../../src/core/index.js';
import { LISTED_LANGUAGES } from '../../src/core/text/function-words.js';
import { readQuestion, readStopWords } from '../../src/keyword/question.js';
import { mayBeStopWord, STOP_WORDS, stopWordsOf } from '../../src/keyword/stop-words.js';
import { SHORT_QUESTIONS } from '../core/text/short-questions.js';

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
    ['помогите мне с презентацией о климате', 'ru', ['презентацией', 'климате']],
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
      { numRuns: 500 },
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
