import type { Script } from './readable-share.js';
import { readContentOf } from './settings/read-json.js';

/**
 * Optional file of a model's folder: the ISO 639-1 codes of the languages that the model reads, as a JSON array. It is
 * no part of the model's id, because no vector depends on it, unless the folder has a second model for the others.
 */
export const LANGUAGES = 'languages.json';

/**
 * The languages that a model's folder names.
 *
 * @returns undefined if it names none
 * @throws {SkillSearchError} `MODEL_NOT_READABLE` if the file is anything but an array of codes
 */
export function readModelLanguages(folder: string): Promise<readonly string[] | undefined> {
  const expected = 'must be a JSON array of languages as ISO 639-1 codes, such as ["en", "de"]';
  return readContentOf(folder, LANGUAGES, areCodes, expected);
}

function areCodes(languages: unknown): languages is readonly string[] {
  return Array.isArray(languages) && languages.every((code) => typeof code === 'string' && /^[a-z]{2}$/.test(code));
}

/** The scripts of languages that are not written in Latin letters. Of several, a model needs to read all. */
const SCRIPTS: Readonly<Record<string, readonly Script[]>> = {
  ar: ['Arabic'],
  be: ['Cyrillic'],
  bg: ['Cyrillic'],
  bn: ['Bengali'],
  el: ['Greek'],
  fa: ['Arabic'],
  gu: ['Other'],
  he: ['Hebrew'],
  hi: ['Devanagari'],
  hy: ['Armenian'],
  ja: ['Han', 'Hiragana'],
  ka: ['Georgian'],
  km: ['Khmer'],
  kn: ['Other'],
  ko: ['Hangul'],
  lo: ['Lao'],
  ml: ['Other'],
  my: ['Other'],
  pa: ['Other'],
  ru: ['Cyrillic'],
  ta: ['Tamil'],
  te: ['Other'],
  th: ['Thai'],
  uk: ['Cyrillic'],
  zh: ['Han'],
};

/** The scripts that somebody can read who reads these languages. */
export function scriptsOf(languages: readonly string[]): readonly Script[] {
  const scripts = new Set(languages.flatMap((language) => SCRIPTS[language] ?? (['Latin'] as const)));
  // Japanese names its least: who reads it reads Katakana, too.
  if (languages.includes('ja')) scripts.add('Katakana');
  return [...scripts];
}

/**
 * Whether a model probably reads a language. A vocabulary of Latin letters only was made from English texts, as a rule.
 * One of several scripts was made from texts in many languages.
 *
 * @param language ISO 639-1
 * @param scripts that the model can read; undefined if unknown
 */
export function probablyReads(language: string, scripts: readonly Script[] | undefined): boolean {
  if (scripts === undefined) return true;
  if (scripts.every((script) => script === 'Latin')) return language === 'en';
  return (SCRIPTS[language] ?? ['Latin']).every((script) => scripts.includes(script));
}
