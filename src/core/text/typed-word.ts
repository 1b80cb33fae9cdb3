import { foldCase, isUnspacedTerm, normaliseText } from './characters.js';

/** The word at the end of a text that somebody is typing. */
export interface TypedWord {
  /** Everything before it, as it is. */
  readonly before: string;
  /** Its letters so far, normalised, lower case, accents kept; at least one. */
  readonly letters: string;
}

const LETTER = /^[\p{L}\p{M}\p{N}]$/u;

/** The end of a word behind an apostrophe, `t` of `don't`, is no beginning of another. */
const APOSTROPHE = /[\p{L}\p{M}\p{N}]['\u2019]$/u;

/**
 * The word at the end of a text. There is none behind a blank or other punctuation, where the last word is done, and
 * none in scripts whose words have no spaces between them.
 */
export function typedWord(text: string): TypedWord | undefined {
  const characters = [...text];
  // One by one from the end: a pattern would look at a long run once for each of its letters.
  let start = characters.length;
  while (start > 0 && LETTER.test(characters[start - 1]!) && !isUnspacedTerm(characters[start - 1]!)) start -= 1;
  const before = characters.slice(0, start).join('');
  const letters = characters.slice(start).join('');
  if (letters === '' || APOSTROPHE.test(before)) return undefined;
  return { before, letters: foldCase(normaliseText(letters)) };
}
