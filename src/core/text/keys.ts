import { stemmer } from 'stemmer';
import { ACCENTS, foldAccents, foldCase, normaliseText } from './characters.js';
import { isPartKind, readNormalisedWords } from './words.js';

/** Most names are like `react-testing-library`: a shortcut gives the same key in a fraction of the time. */
const PLAIN_NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;

/** The rules for other texts, of which a process that asks one question is better off not to learn anything. */
const ASCII = /^[\x00-\x7f]*$/;

/**
 * A name without case, white space and punctuation. Two names are the same if their keys are equal: `pdf-forms`,
 * `PDF Forms` and `pdfforms` are one name, `c` and `c++` are two.
 */
export function nameKey(name: string): string {
  if (PLAIN_NAME.test(name)) return name.replaceAll('-', '');
  return keyOfNormalised(normaliseText(name));
}

/** {@link nameKey} of a text that `normaliseText` returned, or of a part of one. */
export function keyOfNormalised(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replace(/[^a-z\d+#]/g, '');
  // Marks that nobody has to write go: vowel points of Hebrew and Arabic, the frame of a keycap. Vowel signs stay.
  return foldCase(text)
    .replace(ACCENTS, '')
    .replace(/[^\p{L}\p{M}\p{N}+#]/gu, '');
}

/** {@link nameKey} without accents: what somebody who types a name has to write of it. */
export function typedNameKey(name: string): string {
  return foldAccents(nameKey(name));
}

/** The most beginnings of a name: a name that is a whole text would have hundreds. */
export const MAX_BEGINNINGS = 16;

/** The least characters of a word in text without spaces. */
const UNSPACED_CHARACTERS = 2;

/**
 * The keys (see `nameKey`) of the first whole words of a name, the shortest first: `react` and `reacttesting` of
 * `react-testing-library`. The key of the whole name is left out.
 *
 * The tokeniser decides where a word ends: the humps of `reactTesting` are words, those of `JavaScript`, which is a
 * name, are not. Text without spaces does not show where its words end, so it may be cut behind any two or more
 * characters.
 */
export function beginningsOf(name: string): readonly string[] {
  if (PARTED_NAME.test(name)) return beginningsOfParts(name.split(BETWEEN_PARTS));
  const text = normaliseText(name);
  const whole = keyOfNormalised(text);
  const inside = offsetsInsideWords(text);
  const keys = new Set<string>();
  for (let end = 1; end < text.length && keys.size < MAX_BEGINNINGS; end++) {
    if (inside[end] === 1) continue;
    const key = keyOfNormalised(text.slice(0, end));
    if (key !== '' && key !== whole) keys.add(key);
  }
  return [...keys];
}

/** Nine of ten names are like `react-testing-library`, and need no tokeniser. */
const PARTED_NAME = /^[a-z\d]+(?:[-_ ]+[a-z\d]+)*$/;
const BETWEEN_PARTS = /[-_ ]+/;

function beginningsOfParts(parts: readonly string[]): string[] {
  let key = '';
  return parts.slice(0, Math.min(parts.length - 1, MAX_BEGINNINGS)).map((part) => {
    key += part;
    return key;
  });
}

/** One byte per offset, 1 where a cut of the text would cut a word. */
function offsetsInsideWords(text: string): Uint8Array {
  const inside = new Uint8Array(text.length + 1);
  /** Characters before the token in its run of text without spaces. */
  let before = 0;
  for (const { term, kind, start, end } of readNormalisedWords(text)) {
    if (kind === 'pair' || kind === 'character') {
      if (before > 0 && before < UNSPACED_CHARACTERS) inside[start] = 1;
      inside.fill(1, start + 1, start + String.fromCodePoint(term.codePointAt(0)!).length);
      before = kind === 'character' ? 0 : before + 1;
    } else if (kind === 'pascal' || (isPartKind(kind) && kind !== 'inner')) {
      inside.fill(1, start + 1, end);
    }
  }
  return inside;
}

const ENGLISH = /^[a-z]{3,}$/;

/**
 * The stem of a term: without accents, traditional Chinese characters simplified, then Porter's algorithm for terms
 * of plain Latin letters (M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980). Two terms are forms
 * of one word if their stems are equal.
 */
export function stemOf(term: string): string {
  const folded = foldAccents(term);
  return ENGLISH.test(folded) ? stemmer(folded) : folded;
}

/** Start value and factor of the 32-bit hash FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo). */
export const FNV_BASIS = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;

/**
 * FNV-1a over the UTF-16 units of a text.
 *
 * @returns 32 bits, unsigned
 */
export function fnv1a(text: string, basis: number = FNV_BASIS): number {
  let hash = basis;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
