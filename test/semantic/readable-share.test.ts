import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTokenizer } from '../../src/core/index.js';
import { BUNDLED_MODEL } from '../../src/semantic/choose-model.js';
import { readableShareChecked } from '../../src/semantic/embedder.js';
import { readableScripts, readableShare } from '../../src/semantic/languages.js';
import { StandInEmbedder } from './stand-in-embedder.js';

function entries(count: number, entry: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => entry(i));
}

const han = (i: number): string => String.fromCodePoint(0x4e00 + i);

describe('the scripts that a model reads', () => {
  test('of the bundled model are Latin only, though its vocabulary spells others', async () => {
    const vocabulary = (await readTokenizer(BUNDLED_MODEL)).vocabulary();
    expect(vocabulary).toEqual(expect.arrayContaining(['test', '##ing', '中', '##の', '##ж']));
    expect(readableScripts(vocabulary)).toEqual(['Latin']);
  });

  test('of the bundled model for other languages are several, by a list with scores', async () => {
    const vocabulary = (await readTokenizer(join(BUNDLED_MODEL, 'other-languages'))).vocabulary();
    expect(vocabulary).toEqual(expect.arrayContaining(['▁de', '的', '▁не']));
    expect(readableScripts(vocabulary)).toEqual(expect.arrayContaining(['Latin', 'Cyrillic', 'Han', 'Arabic']));
  });

  test('are those of which the vocabulary has a thousand entries', () => {
    const cyrillic = entries(1000, (i) => `▁слово${i}`);
    expect(readableScripts([...cyrillic, ...entries(999, han)])).toEqual(['Cyrillic']);
    expect(readableScripts([...cyrillic, ...entries(1000, (i) => `##${han(i)}`)])).toEqual(['Cyrillic', 'Han']);
    expect(readableScripts(entries(1000, (i) => `[unused${i}]`))).toEqual(['Latin']);
  });

  test('are not known of a vocabulary of bytes', () => {
    expect(readableScripts(entries(1000, (i) => `Ġword${i}`))).toBeUndefined();
  });
});

describe('the share of a question that a model reads', () => {
  test.each([
    ['fill in a tax form', 1],
    ['Prüfe die Übersetzung, s’il te plaît', 1],
    ['ＰＤＦ', 1],
    ['2025 !?', 1],
    ['会议记录', 0],
    ['проверь заметки', 0],
    ['проверь заметки в git', 1 / 4],
    ['把PDF转成', 1 / 2.5],
    ['git の', 1 / 1.5],
  ])('of “%s” is %d for one that reads Latin letters', (question, share) => {
    expect(readableShare(question, ['Latin'])).toBeCloseTo(share, 10);
  });

  test('grows with the scripts', () => {
    expect(readableShare('PDF 转换', ['Latin', 'Han'])).toBe(1);
    expect(readableShare('PDF 转换', [])).toBe(0);
  });

  test('is a number from 0 to 1 whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const share = readableShare(text, ['Latin', 'Other']);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('is all of it where the embedder does not tell, and an error where it tells nonsense', () => {
    const embedder = new StandInEmbedder();
    expect(readableShareChecked(embedder, '会议')).toBe(1);
    for (const share of [2, -0.1, Number.NaN, '1']) {
      const liar = Object.assign(new StandInEmbedder(), { readableShare: () => share as number });
      expect(() => readableShareChecked(liar, '会议')).toThrow(/a number from 0 to 1, got/);
    }
  });

  test('is an error that tells the embedder and the cause where it fails', () => {
    const cause = new RangeError('no such script');
    const failing = Object.assign(new StandInEmbedder(), {
      readableShare: (): number => {
        throw cause;
      },
    });
    expect(() => readableShareChecked(failing, '会议')).toThrow(
      expect.objectContaining({
        code: 'EMBEDDER_FAILED',
        message: 'the embedder of stand-in failed: no such script',
        cause,
      }),
    );
  });
});
