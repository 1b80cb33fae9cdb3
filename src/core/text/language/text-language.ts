import { simplify } from '../simplify.js';
import { readTraditionalCharacters } from '../traditional-characters.js';
import { languageOf } from './language-of.js';

/** In which language a text is, and in which direction it runs: what `lang` and `dir` of its element say. */
export interface TextLanguage {
  /**
   * BCP 47: a language, for Chinese with its script (`zh-Hans`, `zh-Hant`) where the characters show it. Undefined if
   * the text does not show a language.
   */
  readonly lang: string | undefined;
  readonly dir: 'ltr' | 'rtl';
}

/** Read of a text, in UTF-16 units. A language shows in the first sentences. */
const SAMPLE = 240;
const LATIN: TextLanguage = { lang: undefined, dir: 'ltr' };
const ENGLISH: TextLanguage = { lang: 'en', dir: 'ltr' };
const RIGHT_TO_LEFT_LANGUAGES: ReadonlySet<string> = new Set(['ar', 'fa', 'ur', 'he']);
/**
 * Letters of Hebrew, Arabic, Syriac, Thaana, NKo, Samaritan, Mandaic, and of the scripts from U+10800 and U+1E800 on.
 */
const RIGHT_TO_LEFT = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
const LETTER = /\p{L}/gu;
/** Letters in the block of a language that another language has, and it has not. */
const NEIGHBOURS: readonly (readonly [language: string, letters: RegExp, neighbour: string])[] = [
  ['ru', /[їєґ]|^(?!.*[ыэъё]).*і/isu, 'uk'],
  ['ar', /[ٹڈڑںے]/u, 'ur'],
  ['ar', /[پچژگ]|[\u06a9\u06cc]/u, 'fa'],
];
const ASCII = /^[\x00-\x7f]*$/;
/** An ASCII text of fewer words is a name or a label: its words show nothing. */
const ENOUGH_BLANKS = /\s\S+\s\S+\s\S/;

/**
 * The language and the direction of a text by its own script, and by its words where the script is Latin. Reads the
 * first 240 UTF-16 units only, so it costs some ten microseconds, whatever the text.
 */
export function textLanguage(text: string): TextLanguage {
  const sample = text.length > SAMPLE ? text.slice(0, SAMPLE) : text;
  const isAscii = ASCII.test(sample);
  if (isAscii && !ENOUGH_BLANKS.test(sample)) return LATIN;
  const { code, certain } = languageOf(sample);
  if (certain && code === 'en') return ENGLISH;
  if (!certain) return isAscii || !runsRightToLeft(sample) ? LATIN : { lang: undefined, dir: 'rtl' };
  const lang = code === 'zh' ? chineseOf(sample) : neighbourOf(code, sample);
  return { lang, dir: RIGHT_TO_LEFT_LANGUAGES.has(lang) ? 'rtl' : 'ltr' };
}

/** Whether at least half of the letters belong to a script that runs from right to left. */
function runsRightToLeft(sample: string): boolean {
  const found = sample.match(RIGHT_TO_LEFT)?.length ?? 0;
  return found > 0 && found * 2 >= (sample.match(LETTER)?.length ?? 0);
}

function neighbourOf(language: string, sample: string): string {
  for (const [of, letters, neighbour] of NEIGHBOURS) if (of === language && letters.test(sample)) return neighbour;
  return language;
}

let simplifiedOnly: ReadonlySet<string> | undefined;

/** `zh-Hans` or `zh-Hant` by the characters that only one of the two has; `zh` where there are as many of both. */
function chineseOf(sample: string): string {
  simplifiedOnly ??= new Set([...readTraditionalCharacters()].filter((_, i) => i % 2 === 1));
  let [traditional, simplified] = [0, 0];
  for (const character of sample) {
    if (simplify(character) !== character) traditional++;
    else if (simplifiedOnly.has(character)) simplified++;
  }
  if (traditional === simplified) return 'zh';
  return traditional > simplified ? 'zh-Hant' : 'zh-Hans';
}
