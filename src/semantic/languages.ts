import { normaliseText, UNSPACED_SCRIPTS } from '../core/index.js';
import { readContentOf } from './settings.js';

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
const SCRIPTS_OF: Readonly<Record<string, readonly Script[]>> = {
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
  const scripts = new Set(languages.flatMap((language) => SCRIPTS_OF[language] ?? (['Latin'] as const)));
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
  return (SCRIPTS_OF[language] ?? ['Latin']).every((script) => scripts.includes(script));
}

/** Scripts that are distinguished. Letters of all others are `Other`. */
const SCRIPTS = ['Latin', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew'] as const;
const MORE_SCRIPTS = ['Devanagari', 'Bengali', 'Tamil', 'Thai', 'Lao', 'Khmer', 'Armenian', 'Georgian'] as const;

export type Script = (typeof SCRIPTS)[number] | (typeof MORE_SCRIPTS)[number] | 'Other';

const LETTERS: readonly (readonly [Script, RegExp])[] = [...SCRIPTS, ...MORE_SCRIPTS].map((script) => [
  script,
  new RegExp(`^\\p{Script=${script}}`, 'u'),
]);

/** Scripts written without blanks between words, or with little inside them: so many characters make a word. */
const UNSPACED: ReadonlySet<Script> = new Set(UNSPACED_SCRIPTS);
const CHARACTERS_A_WORD = 2;

/**
 * A model can read a script if its vocabulary has at least this many entries in it. A vocabulary also has single
 * letters of other scripts, to spell unknown words: the English one of BERT about 500 of Han, and 50 to 90 of each
 * other script. One that was made from texts in a script has thousands of entries.
 */
const ENTRIES_OF_A_SCRIPT = 1000;

/** How byte-level vocabularies write a space. Their other entries are bytes, which do not show a script. */
const BYTE_LEVEL_BLANK = '\u0120';

/**
 * The scripts that a model can read, judged by its vocabulary.
 *
 * @param entries of the tokenizer's vocabulary
 * @returns undefined if they do not show it
 */
export function readableScripts(entries: Iterable<string>): readonly Script[] | undefined {
  const counts = new Map<Script, number>();
  let byteLevel = 0;
  for (const entry of entries) {
    if (entry.startsWith(BYTE_LEVEL_BLANK)) byteLevel += 1;
    const letter = entry.match(/\p{L}/u)?.[0];
    if (letter === undefined) continue;
    const script = scriptOf(letter);
    counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  if (byteLevel >= ENTRIES_OF_A_SCRIPT) return undefined;
  return [...counts].filter(([, count]) => count >= ENTRIES_OF_A_SCRIPT).map(([script]) => script);
}

/**
 * The share of a text's words that are in scripts which a model can read. In a script without spaces two characters
 * count as a word. The vector of a text in other scripts is chance.
 *
 * @param scripts that the model can read
 * @returns 0 to 1; 1 for a text without letters
 */
export function readableShare(text: string, scripts: readonly Script[]): number {
  let [readable, all] = [0, 0];
  for (const [letters] of normaliseText(text).matchAll(/\p{L}[\p{L}\p{M}]*/gu)) {
    for (const [script, length] of stretchesOf(letters)) {
      const words = UNSPACED.has(script) ? length / CHARACTERS_A_WORD : 1;
      all += words;
      if (scripts.includes(script)) readable += words;
    }
  }
  return all === 0 ? 1 : readable / all;
}

const ASCII = /^[\0-\u007f]+$/;

/** Cuts letters into stretches of one script, each with its number of letters. Combining marks are not counted. */
function stretchesOf(letters: string): [script: Script, length: number][] {
  if (ASCII.test(letters)) return [['Latin', letters.length]];
  const stretches: [Script, number][] = [];
  for (const [letter] of letters.matchAll(/\p{L}/gu)) {
    const script = scriptOf(letter);
    const last = stretches.at(-1);
    if (last !== undefined && last[0] === script) last[1] += 1;
    else stretches.push([script, 1]);
  }
  return stretches;
}

function scriptOf(letter: string): Script {
  if (letter <= '\u007f') return 'Latin';
  // The prolonged sound mark belongs to Hiragana and Katakana.
  if (letter === '\u30fc') return 'Katakana';
  return LETTERS.find(([, letters]) => letters.test(letter))?.[0] ?? 'Other';
}
