import { foldCase, normaliseText } from '../text/characters.js';
import { UNSPACED_CHARACTER } from '../text/unspaced-scripts.js';

/** Marks of code, paths, templates and left-out parts: nobody types them. */
const NOT_SPOKEN =
  /[{}<>=;\\|$`[\]~^]|https?:|\/\/|\w\(|\(\)|[\w-]\.(?:md|ts|js|py|sh|json|ya?ml|toml|txt)\b|\b(?:XX+|XYZ|[XYN])\b|…|\.\.\.|_\w+_/u;

const UNSPACED = new RegExp(UNSPACED_CHARACTER.source, 'gu');
const WORDS = /[\p{L}\p{N}]+(?:['’.+#-][\p{L}\p{N}+#]+)*/gu;

/**
 * The form in which phrases are compared: words in lower case with spaces between, without punctuation. Equal phrases
 * of several skills count as one.
 */
export function phraseKey(text: string): string {
  return (foldCase(normaliseText(text)).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

/** The length of a text in words. Two characters of a script without spaces count as a word. */
export function sizeOf(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  const others = unspaced === 0 ? text : text.replace(UNSPACED, ' ');
  return (others.match(WORDS)?.length ?? 0) + unspaced / 2;
}

/** Letters in capitals only: constants and shouts. */
const CAPITALS_ONLY = /^[^\p{Ll}\p{Lo}]*$/u;

/** Whether a text could be what a person types: no code, no paths, no placeholders. */
export function isSpoken(text: string): boolean {
  return (
    !NOT_SPOKEN.test(text) && !CAPITALS_ONLY.test(text) && /\p{L}{2}|[\p{Script=Han}\p{Script=Hangul}]/u.test(text)
  );
}

/** A text in one line, without marks of Markdown. Links become their text. */
export function plainText(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|[`*]/g, '')
    .replace(/[\p{Extended_Pictographic}\ufe0f]/gu, (character) => (/\d/.test(character) ? character : ''))
    .replace(/\s+/g, ' ')
    .trim();
}
