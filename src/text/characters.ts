import { simplify } from './simplify.js';

/**
 * What a character is to the tokeniser. One byte a code point, filled on first sight: a look-up in a table is several
 * times faster than a Unicode property test, and a catalogue has hundreds of millions of characters.
 */
export const CharacterClass = {
  other: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  /** `-`, `_` and the Unicode hyphens: they join the parts of a compound. */
  joiner: 4,
  dot: 5,
  plus: 6,
  hash: 7,
  apostrophe: 8,
  /** Combining mark: belongs to the letter before it. */
  mark: 9,
  /** A letter of a script written without spaces, searched by pairs of characters. */
  unspaced: 10,
} as const;

const UNKNOWN_CLASS = 255;
const classes = new Uint8Array(0x110000).fill(UNKNOWN_CLASS);

const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u30fc]/u;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

function classify(codePoint: number): number {
  // By hand: the first look at a Unicode property takes as long as all of these.
  if (codePoint >= 97 && codePoint <= 122) return CharacterClass.lower;
  if (codePoint >= 65 && codePoint <= 90) return CharacterClass.upper;
  if (codePoint >= 48 && codePoint <= 57) return CharacterClass.digit;
  const character = String.fromCodePoint(codePoint);
  if (codePoint > 127 && WORD_CHARACTER.test(character)) {
    if (UNSPACED_SCRIPT.test(character)) return CharacterClass.unspaced;
    if (/\p{N}/u.test(character)) return CharacterClass.digit;
    if (/\p{M}/u.test(character)) return CharacterClass.mark;
    return /[\p{Lu}\p{Lt}]/u.test(character) ? CharacterClass.upper : CharacterClass.lower;
  }
  if (/[-_\u2010\u2011]/.test(character)) return CharacterClass.joiner;
  if (character === '.') return CharacterClass.dot;
  if (character === '+') return CharacterClass.plus;
  if (character === '#') return CharacterClass.hash;
  if (character === "'" || character === '\u2019') return CharacterClass.apostrophe;
  return CharacterClass.other;
}

/** The {@link CharacterClass} of a code point. */
export function classOf(codePoint: number): number {
  const known = classes[codePoint]!;
  if (known !== UNKNOWN_CLASS) return known;
  const found = classify(codePoint);
  classes[codePoint] = found;
  return found;
}

/** Whether a term is a pair or single character of Chinese, Japanese, Korean, Thai, Lao or Khmer text. */
export function isUnspacedTerm(term: string): boolean {
  const first = term.codePointAt(0);
  return first !== undefined && first > 0x7f && classOf(first) === CharacterClass.unspaced;
}

// Soft hyphen, zero-width and bidirectional controls, byte order mark: invisible, so no part of a word.
const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]/g;
const ASCII = /^[\x00-\x7f]*$/;

/** Unicode NFKC without invisible characters: the text that words are read from. */
export function normaliseText(text: string): string {
  if (ASCII.test(text)) return text;
  return text.normalize('NFKC').replace(INVISIBLE, '');
}

const FOLDED_APART = /[\u00df\u03c2]/;

/** Lower case, such that letters that differ in case only become equal (`ß` and `ss`, the two small sigmas). */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (!FOLDED_APART.test(lower)) return lower;
  return lower.replace(/\u00df/g, 'ss').replace(/\u03c2/g, '\u03c3');
}

// Marks that are accents: Latin, Greek and Cyrillic diacritics, Hebrew points, Arabic vowel signs. The vowel signs of
// Indic scripts and the voicing marks of kana are letters of their own and stay.
const ACCENTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
// Letters with a stroke are no base letter plus mark in Unicode, but nobody types them on another keyboard.
const STROKED: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't' };

/**
 * A lower-case term without its accents: `résumé` becomes `resume`. Traditional Chinese characters are taken for accented
 * forms of the simplified ones: `記憶` becomes `记忆`.
 */
export function foldAccents(term: string): string {
  if (ASCII.test(term)) return term;
  const bare = term.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
  return simplify(bare).replace(/[ıłøđħŧ]/g, (letter) => STROKED[letter]!);
}

/**
 * Whether two lower-case terms have the same accents as far as their letters are the same: `résumé` and `résumés`, not
 * `résumés` and `resume`.
 */
export function sameAccents(a: string, b: string): boolean {
  if (ASCII.test(a) && ASCII.test(b)) return true;
  const [lettersA, lettersB] = [foldAccents(a), foldAccents(b)];
  let shared = 0;
  while (shared < lettersA.length && shared < lettersB.length && lettersA[shared] === lettersB[shared]) shared++;
  return a.slice(0, shared) === b.slice(0, shared);
}
