import { Buffer } from 'node:buffer';

const LETTER = /[\p{L}\p{M}\p{N}]/u;
/** Scripts that are written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Behind letters they make another word: C, C++ and C# are not the same. */
const MARKS = '+#';

/** What else than its lower case may stand for a code unit: it is between words, is a word of its own, or must be looked at. */
const BETWEEN = 0;
const WHOLE = 1;
const UNKNOWN = 2;

/** What stands for each code unit. What is not ASCII is filled in when it first occurs. */
const FOLDED: Uint16Array = Uint16Array.from({ length: 0x10000 }, (_, code) => {
  if (code >= 128) return UNKNOWN;
  const character = String.fromCharCode(code).toLowerCase();
  if (/[a-z0-9]/.test(character)) return character.charCodeAt(0);
  return MARKS.includes(character) ? UNKNOWN : BETWEEN;
});

/** Of FNV-1a. */
const BASIS: number = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/** The code units of a text with a 0 behind them, and the hashes of its words; overwritten by the next. */
let units = new Uint16Array(4096);
let bytes: Buffer = Buffer.from(units.buffer);
const read = { hashes: new Int32Array(units.length), count: 0 };

/**
 * A hash of each word of a text, in order, case and punctuation aside; characters of scripts without blanks are words of
 * their own. Many times as quick as reading words for the keyword index, since no text is made of any, and good for
 * nothing but telling whether texts are the same.
 *
 * @returns the same object each time, and valid until the next: a view of each text would cost as much as reading it
 */
export function readWordHashes(text: string): { readonly hashes: Int32Array; readonly count: number } {
  const { length } = text;
  if (length >= units.length) {
    units = new Uint16Array(2 * length);
    bytes = Buffer.from(units.buffer);
    read.hashes = new Int32Array(units.length);
  }
  // Written out once: looking into a string takes several times as long.
  bytes.write(text, 'utf16le');
  units[length] = 0;
  // What a loop looks at for each character should be at hand.
  const [codes, words, table] = [units, read.hashes, FOLDED];
  let count = 0;
  let hash = BASIS;
  for (let i = 0; i <= length; i++) {
    let folded = table[codes[i]!]!;
    while (folded > UNKNOWN) {
      hash = Math.imul(hash ^ folded, PRIME);
      i += 1;
      folded = table[codes[i]!]!;
    }
    if (folded === UNKNOWN) folded = foldAt(text, i);
    if (folded > UNKNOWN) {
      // A mark is nothing unless it stands behind a word.
      if (hash !== BASIS || !MARKS.includes(text[i]!)) hash = Math.imul(hash ^ folded, PRIME);
      continue;
    }
    if (hash !== BASIS) words[count++] = hash;
    hash = BASIS;
    if (folded === WHOLE) words[count++] = Math.imul(BASIS ^ codes[i]!, PRIME);
  }
  read.count = count;
  return read;
}

/** What stands for a code unit that was not seen before, or depends on others. */
function foldAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return code;
  // The second half of a surrogate pair is what the pair is.
  const codePoint = text.codePointAt(code >= 0xdc00 && code < 0xe000 ? at - 1 : at) ?? code;
  const character = String.fromCodePoint(codePoint);
  const known = UNSPACED.test(character) ? WHOLE : LETTER.test(character) ? lowerCase(character, code) : BETWEEN;
  if (codePoint === code && (code < 0xd800 || code >= 0xe000)) FOLDED[code] = known;
  return known;
}

/** The lower case of a character, where that is one code unit. */
function lowerCase(character: string, code: number): number {
  const lower = character.toLowerCase();
  return lower.length === 1 && character.length === 1 ? lower.charCodeAt(0) : code;
}
