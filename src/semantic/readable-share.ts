import { UNSPACED_SCRIPTS } from '../text/unspaced-scripts.js';

/** Scripts that are told apart; letters of all others are `Other`. */
const SCRIPTS = ['Latin', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew'] as const;
const MORE_SCRIPTS = [
  'Devanagari',
  'Bengali',
  'Tamil',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Armenian',
  'Georgian',
] as const;

export type Script = (typeof SCRIPTS)[number] | (typeof MORE_SCRIPTS)[number] | 'Other';

const LETTERS: readonly (readonly [Script, RegExp])[] = [...SCRIPTS, ...MORE_SCRIPTS].map((script) => [
  script,
  new RegExp(`^\\p{Script=${script}}`, 'u'),
]);

/** Scripts written without blanks between words, or with little inside them: so many characters make a word. */
const UNSPACED: ReadonlySet<Script> = new Set(UNSPACED_SCRIPTS);
const CHARACTERS_A_WORD = 2;

/**
 * A vocabulary holds the letters of most scripts by themselves, to spell what it has no words for: some 500 of Han in the
 * English one of BERT, 50 to 90 of each of the others. One that was made of texts in a script has thousands of entries.
 */
const ENTRIES_OF_A_SCRIPT = 1000;

/** How byte-level vocabularies write a blank. What else they hold are bytes, which do not show the script. */
const BYTE_LEVEL_BLANK = '\u0120';

/**
 * The scripts in which a model knows words, as far as its tokenizer tells.
 *
 * @param entries of the tokenizer's vocabulary
 * @returns undefined where they do not show it
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
 * How much of a text is written in scripts that a model reads: the share of its words, two characters of Chinese, Japanese,
 * Korean or Thai taken for one. What a vector says of the rest is chance.
 *
 * @returns 0 to 1; 1 for a text without letters
 */
export function readableShare(text: string, scripts: readonly Script[]): number {
  let [readable, all] = [0, 0];
  for (const [letters] of text.normalize('NFKC').matchAll(/\p{L}[\p{L}\p{M}]*/gu)) {
    for (const [script, length] of stretchesOf(letters)) {
      const words = UNSPACED.has(script) ? length / CHARACTERS_A_WORD : 1;
      all += words;
      if (scripts.includes(script)) readable += words;
    }
  }
  return all === 0 ? 1 : readable / all;
}

/** The stretches of one script, each with the number of its letters. Marks go with the letters before them. */
function stretchesOf(letters: string): [script: Script, length: number][] {
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
  // The mark that makes a vowel long is common to both kana.
  if (letter === '\u30fc') return 'Katakana';
  return LETTERS.find(([, letters]) => letters.test(letter))?.[0] ?? 'Other';
}
