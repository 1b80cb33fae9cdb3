import { normaliseText } from './characters.js';
import { keyOfNormalised } from './name-key.js';
import { isPartKind, readNormalisedWords } from './words.js';

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
  if (PLAIN_NAME.test(name)) return beginningsOfParts(name.split(BETWEEN_PARTS));
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
const PLAIN_NAME = /^[a-z\d]+(?:[-_ ]+[a-z\d]+)*$/;
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
