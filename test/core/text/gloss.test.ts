import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GlossTable, glossOf } from '../../../src/core/index.js';

/** @param affixes endings, and beginnings, parted by blanks */
function tableOf(language: string, entries: Readonly<Record<string, string>>, affixes = ['', '']): GlossTable {
  return new GlossTable(language, [...affixes, ...Object.entries(entries).map((entry) => entry.join('\t'))].join('\n'));
}

describe('a gloss', () => {
  test('reads the longest phrases, keeps what is English, and leaves out what says nothing or is not known', () => {
    const table = tableOf('ru', { план: 'plan', 'план питания': 'meal plan', для: '', мне: '' });
    expect(table.read('План питания для Docker, мне, ура')).toEqual({
      text: 'meal plan docker',
      parts: [
        { asked: 'план питания', read: 'meal plan' },
        { asked: 'для', read: '' },
        { asked: 'docker', read: undefined },
        { asked: 'мне', read: '' },
        { asked: 'ура', read: undefined },
      ],
    });
  });

  test('finds forms of a word by its stem, without accents, after the form itself', () => {
    const table = tableOf('es', { factura: 'invoice', facturar: 'bill', código: 'code' }, ['s as a o os', '']);
    expect(table.read('FACTURAS facturar codigos').text).toBe('invoice bill code');
  });

  test('cuts off what Arabic and Hebrew write at the beginning of a word', () => {
    expect(tableOf('ar', { فاتورة: 'invoice' }, ['', 'ال وال']).read('والفاتورة').text).toBe('invoice');
  });

  test('takes compounds apart where the language makes them', () => {
    const words = { rechnung: 'invoice', vorlage: 'template', test: 'test' };
    expect(tableOf('de', words).read('Rechnungsvorlage Rechnungsvorlagentest').text).toBe(
      'invoice template invoice template test',
    );
    const stems = tableOf('de', { ...words, rechner: 'computer' }, ['er ungs', '']);
    expect(stems.read('Rechnungsvorlage').text).toBe('invoice template');
    const two = tableOf('sv', {
      tid: 'time',
      redo: 'ready',
      visning: 'view',
      redovisning: 'accounting',
    });
    expect(two.read('tidsredovisning').text).toBe('time accounting');
    expect(tableOf('fr', words).read('Rechnungsvorlage').text).toBe('rechnungsvorlage');
  });

  test('leaves out what an apostrophe cuts off', () => {
    expect(tableOf('tr', { çevir: 'convert' }).read("PDF'yi Word’e çevir").text).toBe('pdf word convert');
    expect(tableOf('uk', { 'пам ять': 'memory', 'об єкт': 'object' }).read("пам'ять об’єкт").text).toBe(
      'memory object',
    );
    expect(tableOf('fr', { image: 'image', qualité: 'quality' }).read("l’image, d'une qualité").text).toBe(
      'image une quality',
    );
  });

  test('reads scripts without blanks by the best path, and traditional characters as simplified', () => {
    const table = tableOf('zh', { 网页: 'web page', 爬取: 'scrape', 取网: 'wrong', 记忆: 'memory' });
    expect(table.read('用 Python 爬取網頁').text).toBe('python scrape web page');
    expect(table.read('在café爬取').text).toBe('cafe scrape');
    expect(tableOf('ja', { 翻訳: 'translate' }).read('caféを翻訳').text).toBe('translate');
    expect(table.read('記憶').text).toBe('memory');
    expect(tableOf('ko', { 번역: 'translate', 회의록: 'meeting minutes' }).read('회의록을 번역해 줘').text).toBe(
      'meeting minutes translate',
    );
  });

  test('takes the path of the fewest entries, each unknown character counting nearly two', () => {
    const entries = fc.uniqueArray(fc.stringMatching(/^[一二三]{1,3}$/), { maxLength: 6 });
    fc.assert(
      fc.property(entries, fc.stringMatching(/^[一二三]{1,8}$/), (known, question) => {
        const table = tableOf('zh', Object.fromEntries(known.map((entry) => [entry, 'x'])));
        const { parts } = table.read(question);
        expect(parts.map(({ asked }) => asked).join('')).toBe(question);
        const cost = parts.reduce((sum, { asked, read }) => sum + (read === undefined ? 9 * asked.length : 5), 0);
        expect(cost).toBe(leastCost(question, new Set(known)));
      }),
    );
  });

  /** By trying all ways. */
  function leastCost(text: string, known: ReadonlySet<string>): number {
    if (text === '') return 0;
    const costs = [...known]
      .filter((entry) => text.startsWith(entry))
      .map((entry) => 5 + leastCost(text.slice(entry.length), known));
    return Math.min(9 + leastCost(text.slice(1), known), ...costs);
  }

  test.each([
    ['ar', 'فاتورة'],
    ['cs', 'faktura'],
    ['da', 'faktura'],
    ['de', 'Rechnung'],
    ['el', 'τιμολόγιο'],
    ['es', 'factura'],
    ['fa', 'فاکتور'],
    ['fr', 'facture'],
    ['he', 'חשבונית'],
    ['hi', 'चालान'],
    ['id', 'faktur'],
    ['it', 'fattura'],
    ['ja', '請求書'],
    ['ko', '청구서'],
    ['nl', 'factuur'],
    ['pl', 'faktura'],
    ['pt', 'fatura'],
    ['ru', 'счет фактура'],
    ['sv', 'faktura'],
    ['th', 'ใบแจ้งหนี้'],
    ['tr', 'fatura'],
    ['uk', 'рахунок фактура'],
    ['vi', 'hóa đơn'],
    ['zh', '发票'],
  ])('comes with a table of %s', (language, invoice) => {
    expect(glossOf(invoice, language)?.text).toMatch(/invoice|bill/);
  });

  test('is there for no other language, English among them', () => {
    expect(glossOf('invoice', 'en')).toBeUndefined();
    expect(glossOf('lasku', 'fi')).toBeUndefined();
  });
});
