import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textLanguage } from '../../../../src/core/index.js';

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
  test.each(['ܫܠܡܐ ܥܠܡܐ', 'ދިވެހި', 'ߒߞߏ', '𞤀𞤣𞤤𞤢𞤥'])('%s runs from right to left, in whatever language it is', (text) => {
    expect(textLanguage(text).dir).toBe('rtl');
  });

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
