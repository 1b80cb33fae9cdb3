import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { languageOf, textLanguage } from '../../../src/core/index.js';
import { readTrigrams } from '../../../src/core/text/latin-language.js';
import { SHORT_QUESTIONS } from './short-questions.js';

describe('the language of a question', () => {
  const CODES = Object.keys(SHORT_QUESTIONS);
  const questionsIn = (code: string): readonly string[] => SHORT_QUESTIONS[code]!;
  const LETTERS_TELL = ['zh', 'ja', 'ko', 'ru', 'ar', 'hi', 'th'];

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
    ['図面 検索', 'ja'],
    ['请帮我写一个介绍日本元気寿司的网页', 'zh'],
    ['допоможіть мені з презентацією', 'uk'],
    ['یک ارائه بساز', 'fa'],
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

describe('text language', () => {
  describe('the language of a text', () => {
    test.each([
      ['Fills in forms of PDF files, and reads what stands in them.', 'en'],
      ['Füllt die Formulare in einer PDF-Datei aus und liest, was darin steht.', 'de'],
      ['Rellena los formularios de un archivo y lee lo que hay en ellos.', 'es'],
      ['Remplit les formulaires des fichiers et lit ce qui est dedans.', 'fr'],
      ['写代码审查报告,检查每个函数的错误处理', 'zh-Hans'],
      ['寫程式碼審查報告,檢查每個函數的錯誤處理', 'zh-Hant'],
      ['PDFのフォームに入力して、内容を読み取ります。', 'ja'],
      ['PDF 양식을 작성하고 내용을 읽습니다.', 'ko'],
      ['Заполняет формы в файлах и читает их содержимое.', 'ru'],
      ['Заповнює форми у файлах і читає їхній вміст.', 'uk'],
      ['يملأ النماذج في الملفات ويقرأ محتواها.', 'ar'],
      ['فرم‌های پرونده‌ها را پر می‌کند و می‌خواند.', 'fa'],
      ['ממלא טפסים בקבצים וקורא את תוכנם.', 'he'],
      ['กรอกแบบฟอร์มในไฟล์', 'th'],
    ])('%s is %s', (text, lang) => {
      expect(textLanguage(text).lang).toBe(lang);
    });

    test.each(['', 'pdf-forms', 'kubernetes helm', '42', '🪁', 'C++ / Rust'])('%j shows none', (text) => {
      expect(textLanguage(text)).toEqual({ lang: undefined, dir: 'ltr' });
    });

    test('is that of most words where a name of another language stands first', () => {
      expect(textLanguage('Docker للمبتدئين: شرح الأوامر الأساسية خطوة بخطوة')).toEqual({ lang: 'ar', dir: 'rtl' });
      expect(textLanguage('Explains how to read the word שלום in a text of another script.')).toEqual({
        lang: 'en',
        dir: 'ltr',
      });
    });

    test('depends on the beginning of the text only', () => {
      const text = 'Заполняет формы в файлах и читает их. '.repeat(20);
      expect(textLanguage(text + 'يملأ النماذج '.repeat(100_000))).toEqual(textLanguage(text));
    });
  });

  describe('the direction of a text', () => {
    test.each(['ܫܠܡܐ ܥܠܡܐ', 'ދިވެހި', 'ߒߞߏ', '𞤀𞤣𞤤𞤢𞤥'])(
      '%s runs from right to left, in whatever language it is',
      (text) => {
        expect(textLanguage(text).dir).toBe('rtl');
      },
    );

    test('is not changed by controls', () => {
      expect(textLanguage('\u202eFills in the forms of a file.\u202c').dir).toBe('ltr');
      expect(textLanguage('\u200f\u061c').dir).toBe('ltr');
    });

    test('is found for any text, with a tag that BCP 47 allows', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
          const { lang, dir } = textLanguage(text);
          expect(lang ?? 'en').toMatch(/^[a-z]{2}(-Han[st])?$/);
          expect(['ltr', 'rtl']).toContain(dir);
        }),
      );
    });
  });
});

describe('language trigrams', () => {
  test('The table of trigrams has 300 of each language, the most frequent first', () => {
    const { languages, starts, frequencies } = readTrigrams();
    // In the order that latin-language.ts numbers them.
    expect(languages).toEqual(['en', 'cs', 'da', 'de', 'es', 'fr', 'id', 'it', 'nl', 'pl', 'pt', 'sv', 'tr']);
    const frequency = (trigram: string, language: string): number =>
      frequencies[starts.get(trigram)! + languages.indexOf(language)]!;
    for (const [i] of languages.entries()) {
      const known = frequencies.filter((value, at) => at % languages.length === i && value > 0);
      expect(known.length).toBe(300);
    }
    expect(frequency('the', 'en')).toBeGreaterThan(frequency('ing', 'en'));
    expect(frequency('sch', 'de')).toBeGreaterThan(0);
    expect(frequency('sch', 'es')).toBe(0);
  });
});
