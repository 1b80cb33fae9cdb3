import { ACCENTS, foldAccents, foldCase, normaliseText } from './characters.js';

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
