import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTokenizer } from '../../src/core/index.js';
import { readableShareChecked } from '../../src/semantic/embedder.js';
import { BUNDLED_MODEL, sentencesOf } from '../../src/semantic/index.js';
import { probablyReads, readableScripts, readableShare, readModelLanguages } from '../../src/semantic/languages.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from './stand-in-embedder.js';

describe('the languages that a model reads', () => {
  function folderWith(text: string): string {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'languages.json'), text);
    return folder;
  }

  test('are those that its folder names, if it names any', async () => {
    expect(await readModelLanguages(folderWith('["en", "de"]'))).toEqual(['en', 'de']);
    expect(await readModelLanguages(scratchFolder())).toBeUndefined();
  });

  test.each(['{}', '"en"', '["english"]', '[1]', 'en'])('cannot be read from %s', async (text) => {
    const folder = folderWith(text);
    await expect(readModelLanguages(folder)).rejects.toMatchObject({ code: 'MODEL_NOT_READABLE', path: folder });
  });

  test('are English if its vocabulary has Latin letters only', () => {
    expect(probablyReads('en', ['Latin'])).toBe(true);
    expect(probablyReads('de', ['Latin'])).toBe(false);
    expect(probablyReads('zh', ['Latin'])).toBe(false);
  });
});

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

test('the sentences of a question are those that the system tells apart, whatever ends them', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const end = fc.constantFrom(
    '. ',
    '.',
    '! ',
    '?\n',
    '\r\n',
    '\u0085',
    '\u2028',
    '。',
    '．',
    '︒',
    '․ ',
    '﹒ ',
    ', ',
    '; ',
  );
  const sentence = fc.constantFrom(
    'Fill in my form',
    'send it off now',
    'one two three',
    'Hello',
    'e.g. of all that',
    '',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(sentence, end), { maxLength: 6 }), (parts) => {
      const question = parts.flat().join('');
      const all = Array.from(segmenter.segment(question), ({ segment }) => segment.trim());
      const long = all.filter((one) => one.split(/\s+/u).length >= 3);
      expect(sentencesOf(question)).toEqual(long.length < 2 ? [] : long);
    }),
  );
});
