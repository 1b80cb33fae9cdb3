import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUNDLED_MODEL } from '../../src/semantic/choose-model.js';
import { readsLanguageChecked } from '../../src/semantic/embedder.js';
import { probablyReads, readModelLanguages } from '../../src/semantic/languages.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from './stand-in-embedder.js';

function folderWith(text: string): string {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'languages.json'), text);
  return folder;
}

describe('the languages that a model reads', () => {
  test('of the bundled model are English only', async () => {
    expect(await readModelLanguages(BUNDLED_MODEL)).toEqual(['en']);
  });

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

  test('are all that are written in the scripts of its vocabulary, if these are several', () => {
    const scripts = ['Latin', 'Han', 'Cyrillic'] as const;
    for (const language of ['en', 'de', 'vi', 'zh', 'ru']) expect(probablyReads(language, scripts)).toBe(true);
    for (const language of ['ja', 'ko', 'ar', 'ta', 'te']) expect(probablyReads(language, scripts)).toBe(false);
    expect(probablyReads('ja', [...scripts, 'Hiragana'])).toBe(true);
  });

  test('are all if its vocabulary does not show the scripts', () => {
    expect(probablyReads('sv', undefined)).toBe(true);
  });

  test('are all where the embedder does not tell, and an error where it tells nonsense', () => {
    expect(readsLanguageChecked(new StandInEmbedder(), 'de')).toBe(true);
    for (const answer of ['yes', 1, {}] as unknown[]) {
      const liar = Object.assign(new StandInEmbedder(), { readsLanguage: () => answer as boolean });
      expect(() => readsLanguageChecked(liar, 'de')).toThrow(/must return from readsLanguage\(\) a boolean, got/);
    }
    const failing = Object.assign(new StandInEmbedder(), {
      readsLanguage: (): boolean => {
        throw new RangeError('no such language');
      },
    });
    expect(() => readsLanguageChecked(failing, 'de')).toThrow('the embedder of stand-in failed: no such language');
  });
});
