import { normaliseText } from './characters.js';
import { keyOfNormalised } from './name-key.js';
import { isPartKind, readNormalisedWords } from './words.js';

/** Beginnings of a name that are known: a name that is a whole text would have hundreds. */
export const MAX_BEGINNINGS = 16;

/** Characters of a text without spaces from which on they may be words. */
const UNSPACED_CHARACTERS = 2;

/**
 * The keys (see `nameKey`) of a name's first whole words, the shortest first: `react` and `reacttesting` of
 * `react-testing-library`. The key of the whole name is not among them.
 *
 * A word ends where the tokeniser says so, so the humps of `reactTesting` are words, and those of `JavaScript`, a name of its
 * own, are not. Text without spaces does not show where its words end: two characters and more may be words, wherever they
 * end.
 */
export function beginningsOf(name: string): readonly string[] {
  if (PLAIN_NAME.test(name)) return beginningsOfParts(name.split(BETWEEN_PARTS));
  const text = normaliseText(name);
  const whole = keyOfNormalised(text);
  const inside = placesInsideWords(text);
  const keys = new Set<string>();
  for (let place = 1; place < text.length && keys.size < MAX_BEGINNINGS; place++) {
    if (inside[place] === 1) continue;
    const key = keyOfNormalised(text.slice(0, place));
    if (key !== '' && key !== whole) keys.add(key);
  }
  return [...keys];
}

/** Nine of ten names are like `react-testing-library`. */
const PLAIN_NAME = /^[a-z\d]+(?:[-_ ]+[a-z\d]+)*$/;
const BETWEEN_PARTS = /[-_ ]+/;

function beginningsOfParts(parts: readonly string[]): string[] {
  let key = '';
  return parts.slice(0, Math.min(parts.length - 1, MAX_BEGINNINGS)).map((part) => {
    key += part;
    return key;
  });
}

/** One byte a place, 1 where a text cannot be cut without cutting a word. */
function placesInsideWords(text: string): Uint8Array {
  const inside = new Uint8Array(text.length + 1);
  /** Characters before the token in its run of a text without spaces. */
  let before = 0;
  for (const { term, kind, start, end } of readNormalisedWords(text)) {
    if (kind === 'pair' || kind === 'character') {
      if (before > 0 && before < UNSPACED_CHARACTERS) inside[start] = 1;
      inside.fill(1, start + 1, start + String.fromCodePoint(term.codePointAt(0) as number).length);
      before = kind === 'character' ? 0 : before + 1;
    } else if (kind === 'pascal' || (isPartKind(kind) && kind !== 'inner')) {
      inside.fill(1, start + 1, end);
    }
  }
  return inside;
}
