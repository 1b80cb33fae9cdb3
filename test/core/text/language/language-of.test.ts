import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { languageOf } from '../../../../src/core/index.js';
import { SHORT_QUESTIONS } from './short-questions.js';

const CODES = Object.keys(SHORT_QUESTIONS);
const questionsIn = (code: string): readonly string[] => SHORT_QUESTIONS[code]!;
const LETTERS_TELL = ['zh', 'ja', 'ko', 'ru', 'ar', 'hi', 'th'];

describe('the language of a question', () => {
  test.each([
    ['wie schreibe ich unit tests für react', 'de'],
    ['quiero crear una presentación sobre el clima', 'es'],
    ['je voudrais créer une présentation', 'fr'],
    ['gostaria de criar uma apresentação', 'pt'],
    ['vorrei creare una presentazione', 'it'],
    ['ik wil een presentatie maken', 'nl'],
    ['chcę zrobić prezentację', 'pl'],
    ['bir sunum yapmak istiyorum', 'tr'],
    ['hur gör jag en presentation om klimatet', 'sv'],
    ['tôi muốn tạo bài thuyết trình', 'vi'],
    ['хочу сделать презентацию', 'ru'],
    ['أريد إنشاء عرض تقديمي', 'ar'],
    ['用Python做数据可视化', 'zh'],
    ['請幫我檢查這段程式碼', 'zh'],
    ['Kubernetesにデプロイする方法', 'ja'],
    ['docker가 시작되지 않음', 'ko'],
    ['απόδειξη πληρωμής', 'el'],
    ['how do i write unit tests for react', 'en'],
  ])('of “%s” is %s, for certain', (question, code) => {
    expect(languageOf(question)).toEqual({ code, certain: true });
  });

  test.each(['', 'kubernetes helm', 'PDF', '2025 !?', 'react-testing-library', 'C++', 'gpt-4o'])(
    'of “%s” is not certain, so English',
    (question) => {
      expect(languageOf(question)).toEqual({ code: 'en', certain: false });
    },
  );

  test.each([
    'translate 合同 into English for my boss',
    'what does "der Hund" mean in English',
    'LA weather',
    'an MIT license for my repo',
    'a van rental in El Paso, Las Vegas or Los Angeles',
    'per diem calculator',
    'die cut stickers',
    'resumé review',
    'café menu',
  ])('of “%s” is English', (question) => {
    expect(languageOf(question).code).toBe('en');
  });

  test.each(['für', 'FÜR', 'fu\u0308r'])('does not depend on how letters are written: %s', (word) => {
    expect(languageOf(`vorlage ${word} eine rechnung`)).toEqual({ code: 'de', certain: true });
  });

  test('is found where letters tell it', () => {
    for (const code of LETTERS_TELL)
      for (const question of questionsIn(code)) expect([question, languageOf(question).code]).toEqual([question, code]);
  });

  test('is found for two of three short questions in Latin letters, and for English ones always', () => {
    const others = CODES.filter((code) => !LETTERS_TELL.includes(code) && code !== 'en');
    const found = others.flatMap((code) => questionsIn(code).map((question) => languageOf(question).code === code));
    expect(found.filter(Boolean).length / found.length).toBeGreaterThan(2 / 3);
    for (const question of questionsIn('en')) expect([question, languageOf(question).code]).toEqual([question, 'en']);
  });

  test('is rarely taken for another than English if it is not found', () => {
    const all = CODES.flatMap((code) => questionsIn(code).map((question) => ({ code, question })));
    const wrong = all.filter(({ code, question }) => ![code, 'en'].includes(languageOf(question).code));
    expect(wrong.length).toBeLessThanOrEqual(all.length / 50);
  });

  test('is two letters whatever the text, and the same each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const { code } = languageOf(text);
        expect(code).toMatch(/^[a-z]{2}$/);
        expect(languageOf(text).code).toBe(code);
      }),
    );
  });
});
