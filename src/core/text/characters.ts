import { readFileSync } from 'node:fs';
import { dataFile } from '../data.js';

/** The role of a character for the tokeniser. */
export const CharacterClass = {
  other: 1,
  lower: 2,
  upper: 3,
  digit: 4,
  /** `-`, `_` and the Unicode hyphens: they join the parts of a compound. */
  joiner: 5,
  dot: 6,
  plus: 7,
  hash: 8,
  apostrophe: 9,
  /** Combining mark: belongs to the letter before it. */
  mark: 10,
  /** A letter of one of the `UNSPACED_SCRIPTS`, searched by pairs of characters. */
  unspaced: 11,
} as const;

/** Marks a code point that was not classified yet. It is 0, so that the table needs no filling at the start. */
const UNKNOWN_CLASS = 0;

/**
 * The class of each code point, found out when the code point is first read. A catalogue has hundreds of millions of
 * characters, and a look-up in a table is several times faster than a test for a Unicode property.
 */
const classes = new Uint8Array(0x110000);

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

function classify(codePoint: number): number {
  // The first test for a Unicode property takes as long as all of these comparisons together.
  if (codePoint >= 97 && codePoint <= 122) return CharacterClass.lower;
  if (codePoint >= 65 && codePoint <= 90) return CharacterClass.upper;
  if (codePoint >= 48 && codePoint <= 57) return CharacterClass.digit;
  const character = String.fromCodePoint(codePoint);
  if (codePoint > 127 && WORD_CHARACTER.test(character)) {
    if (UNSPACED_CHARACTER.test(character)) return CharacterClass.unspaced;
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

/** Whether a term is a pair of characters, or a single one, of one of the `UNSPACED_SCRIPTS`. */
export function isUnspacedTerm(term: string): boolean {
  const first = term.codePointAt(0);
  return first !== undefined && first > 0x7f && classOf(first) === CharacterClass.unspaced;
}

// Soft hyphen, zero-width and bidirectional controls, byte order mark: invisible, so not part of a word.
const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]/g;
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Unicode NFKC without invisible characters: the form of a text that words are read from. One character may become
 * eighteen (U+FDFA). So that what a text costs follows from its length, its form ends at {@link longestForm}.
 */
export function normaliseText(text: string): string {
  if (ASCII.test(text)) return text;
  const most = longestForm(text);
  let form = '';
  for (let at = 0, end = 0; at < text.length && form.length < most; at = end) {
    end = at + PIECE;
    while (end < at + PIECE + LONGEST_JOINED && JOINED.test(text.slice(end, end + 2))) end++;
    form += text.slice(at, end).normalize('NFKC');
  }
  return form.slice(0, most).replace(INVISIBLE, '');
}

/** The most UTF-16 units that the normalised form of a text has. Only lists of ligatures and units have more. */
function longestForm({ length }: string): number {
  return 2 * length + 64;
}

/** UTF-16 units of a text that are normalised at once: sorting a run of marks takes time by the square of its length. */
const PIECE = 512;

/** Units that a piece may have more, so that it does not end between a character and its marks. */
const LONGEST_JOINED = 64;

/** What may be composed with a character before it; and the second half of a character of two units. */
const JOINED = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\udc00-\udfff]/u;

const FOLDED_APART = /[\u00df\u03c2]/;

/** Lower case. Forms of a letter that differ only in case become equal, also `ß` and `ss`, and the two small sigmas. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (!FOLDED_APART.test(lower)) return lower;
  return lower.replace(/\u00df/g, 'ss').replace(/\u03c2/g, '\u03c3');
}

// Marks that are accents: Latin, Greek and Cyrillic diacritics, Hebrew points, Arabic vowel signs. The vowel signs of
// Indic scripts and the voicing marks of kana are not accents: they stay.
export const ACCENTS: RegExp =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
// Unicode does not decompose letters with a stroke, but people without the right keyboard type the plain letter.
const STROKED: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't' };

/**
 * A lower-case term without its accents: `résumé` becomes `resume`. Traditional Chinese characters count as accented
 * forms of the simplified ones: `記憶` becomes `记忆`.
 */
export function foldAccents(term: string): string {
  if (ASCII.test(term)) return term;
  const bare = term.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
  return simplify(bare).replace(/[ıłøđħŧ]/g, (letter) => STROKED[letter]!);
}

/**
 * Whether two lower-case terms have the same accents in the letters they both begin with: true for `résumé` and
 * `résumés`, false for `résumés` and `resume`.
 */
export function sameAccents(a: string, b: string): boolean {
  if (ASCII.test(a) && ASCII.test(b)) return true;
  const [lettersA, lettersB] = [foldAccents(a), foldAccents(b)];
  let shared = 0;
  while (shared < lettersA.length && shared < lettersB.length && lettersA[shared] === lettersB[shared]) shared++;
  return a.slice(0, shared) === b.slice(0, shared);
}

const [FIRST, LAST] = [0x4e00, 0x9fff];
const HAN = /[\u4e00-\u9fff]/;

/** The simplified form of each character from {@link FIRST} on; made when the first Han character is read. */
let simplifiedForms: Uint16Array | undefined;

function makeForms(): Uint16Array {
  const forms = Uint16Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  const pairs = readTraditionalCharacters();
  for (let i = 0; i < pairs.length; i += 2) forms[pairs.charCodeAt(i) - FIRST] = pairs.charCodeAt(i + 1);
  return forms;
}

/**
 * A text with simplified Chinese characters instead of traditional ones, character by character: 記憶 becomes 记忆.
 * Where one simplified character is used for several traditional ones, these become equal.
 */
export function simplify(text: string): string {
  if (!HAN.test(text)) return text;
  simplifiedForms ??= makeForms();
  let simplified = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    simplified += String.fromCharCode(unit >= FIRST && unit <= LAST ? simplifiedForms[unit - FIRST]! : unit);
  }
  return simplified;
}

const TABLE = dataFile('traditional-characters.txt');

/**
 * Reads the table of traditional Chinese characters.
 *
 * @returns each traditional character followed by its simplified form, all from U+4E00 to U+9FFF
 */
export function readTraditionalCharacters(): string {
  return readFileSync(TABLE, 'utf8').replace(/^#.*$/gm, '').replace(/\s/g, '');
}

/**
 * Scripts whose texts do not show, or do not always show, where words end. Hangul has spaces, but between groups of
 * words with their particles. The tokeniser reads pairs of characters of them, near copies compare single characters.
 * Burmese and other scripts that seldom show where words end are read by the spaces that there are.
 */
export const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer'] as const;

/** The mark of a long vowel: part of Hiragana and Katakana words, but of no script according to Unicode. */
const LONG_VOWEL = '\u30fc';

/** Matches a character of {@link UNSPACED_SCRIPTS}, be it a letter, mark, digit or punctuation. */
export const UNSPACED_CHARACTER: RegExp = new RegExp(
  `[${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}${LONG_VOWEL}]`,
  'u',
);

/**
 * A character and what may be composed with it: combining marks, Hangul vowels and finals, half-width voicing marks.
 */
const CLUSTER = /[\s\S][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

/**
 * The normalised form of a text, and a function that turns its offsets into offsets of the text itself. Both count
 * UTF-16 units.
 */
export function mapNormalised(text: string): { normalised: string; toOriginal: (offset: number) => number } {
  const whole = normaliseText(text);
  if (whole === text) return { normalised: text, toOriginal: (offset) => offset };
  const offsets: number[] = [];
  let normalised = '';
  let from = 0;
  for (const [cluster] of text.matchAll(CLUSTER)) {
    const form = normaliseText(cluster);
    // An offset inside a cluster that grew must not cut the cluster: all units but the first point behind it.
    for (let i = 0; i < form.length; i++) offsets.push(i === 0 ? from : from + cluster.length);
    normalised += form;
    from += cluster.length;
    if (normalised.length >= longestForm(text)) break;
  }
  offsets.push(from);
  return { normalised, toOriginal: (offset) => offsets[offset]! };
}
