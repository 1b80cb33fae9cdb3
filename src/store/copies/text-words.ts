import { Buffer } from 'node:buffer';
import { FNV_BASIS, FNV_PRIME, UNSPACED_CHARACTER } from '../../core/index.js';

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;

/** Directly after letters they are part of the word: C, C++ and C# are different words. */
const MARKS = '+#';

/** What the table holds for a code unit that is no part of a longer word. Greater values are its lower case. */
const BETWEEN_WORDS = 0;
/** A word by itself. */
const WHOLE_WORD = 1;
/** Not classified yet, or dependent on its neighbours. */
const UNKNOWN = 2;

/** By code unit; made when the first text is read. What is not ASCII is added when it first occurs. */
let folded: Uint16Array | undefined;

function makeTable(): Uint16Array {
  const table = new Uint16Array(0x10000).fill(UNKNOWN);
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code).toLowerCase();
    if (/[a-z0-9]/.test(character)) table[code] = character.charCodeAt(0);
    else if (!MARKS.includes(character)) table[code] = BETWEEN_WORDS;
  }
  return table;
}

/** As a signed integer, which `Math.imul` returns. */
const BASIS = FNV_BASIS | 0;

/** The code units of a text followed by a 0, and the hashes of its words; overwritten by the next text. */
let units = new Uint16Array(4096);
let bytes: Buffer = Buffer.from(units.buffer);
const read = { hashes: new Int32Array(units.length), count: 0 };

/**
 * Reads a hash of each word of a text, in order. Case and punctuation do not count. Each character of the
 * `UNSPACED_SCRIPTS` is a word. This is many times faster than the tokeniser of the keyword index, since it makes no
 * strings; its only use is to compare texts.
 *
 * @returns the same object for every call, valid until the next: a new view of each text would cost as much as
 *   reading it
 */
export function readWordHashes(text: string): { readonly hashes: Int32Array; readonly count: number } {
  const { length } = text;
  if (length >= units.length) {
    units = new Uint16Array(2 * length);
    bytes = Buffer.from(units.buffer);
    read.hashes = new Int32Array(units.length);
  }
  // One copy of the text: access to single characters of a string is several times slower.
  bytes.write(text, 'utf16le');
  units[length] = 0;
  folded ??= makeTable();
  // Local variables, which the loop reads faster than those of the module.
  const [codes, words, table] = [units, read.hashes, folded];
  let count = 0;
  let hash = BASIS;
  for (let i = 0; i <= length; i++) {
    let unit = table[codes[i]!]!;
    while (unit > UNKNOWN) {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      i += 1;
      unit = table[codes[i]!]!;
    }
    if (unit === UNKNOWN) unit = foldAt(text, i, table);
    if (unit > UNKNOWN) {
      // A mark that does not follow a letter is ignored.
      if (hash !== BASIS || !MARKS.includes(text[i]!)) hash = Math.imul(hash ^ unit, FNV_PRIME);
      continue;
    }
    if (hash !== BASIS) words[count++] = hash;
    hash = BASIS;
    if (unit === WHOLE_WORD) words[count++] = Math.imul(BASIS ^ codes[i]!, FNV_PRIME);
  }
  read.count = count;
  return read;
}

/** The value of a code unit that the table has none for. Adds it to the table, unless it depends on other units. */
function foldAt(text: string, at: number, table: Uint16Array): number {
  const code = text.charCodeAt(at);
  if (code < 128) return code;
  const isLowSurrogate = code >= 0xdc00 && code < 0xe000;
  const codePoint = text.codePointAt(isLowSurrogate ? at - 1 : at) ?? code;
  const value = fold(String.fromCodePoint(codePoint), code);
  if (codePoint === code && (code < 0xd800 || code >= 0xe000)) table[code] = value;
  return value;
}

/** @param code the code unit that is read: of a surrogate pair one half */
function fold(character: string, code: number): number {
  if (!WORD_CHARACTER.test(character)) return BETWEEN_WORDS;
  if (UNSPACED_CHARACTER.test(character)) return WHOLE_WORD;
  // Only where the lower case is one code unit.
  const lower = character.toLowerCase();
  return lower.length === 1 && character.length === 1 ? lower.charCodeAt(0) : code;
}
