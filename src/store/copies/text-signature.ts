import { Buffer } from 'node:buffer';
import { FNV_BASIS, FNV_PRIME, fnv1a, nameKey, UNSPACED_CHARACTER } from '../../core/index.js';
import type { Skill } from '../../skill.js';
import { readMeta, writeMeta } from '../notes.js';
import type { Connection } from '../sqlite.js';

/**
 * Version of the signatures: of how they are made, names and words included, and of how they are compared. Raise it
 * with every change of either: the next load then replaces signatures of another version.
 */
export const SIGNATURE_RULES = 2;

/** Number of values in a sketch, one byte each. */
export const SKETCH_BYTES = 128;

/** Number of words in a shingle. */
const SHINGLE = 3;

/** What is stored of a skill's text to find others with nearly the same text. */
export interface TextSignature {
  /** 32-bit hash of the name's key, see `nameKey`. */
  readonly name: number;
  /** 53-bit hash of all words of the text, in order. */
  readonly text: number;
  /** Number of words in the text. */
  readonly words: number;
  /**
   * The share of values that two sketches have in common estimates the Jaccard similarity of the shingles of their
   * texts. Valid until the next signature is made.
   */
  readonly sketch: Uint8Array;
}

/** What of a skill is compared. Its other files are not. */
export interface ComparedText {
  readonly name: string;
  readonly description: string;
  /** The text of SKILL.md, without front matter. */
  readonly text: string;
}

/**
 * Makes the signature of a skill's description and SKILL.md.
 *
 * A text is the set of its shingles, which are runs of three words (A. Broder, On the resemblance and containment of
 * documents, 1997). The sketch of a set uses one permutation divided into bins: one part of a shingle's hash selects
 * the bin, and each bin keeps the least of the other parts. An empty bin borrows from another bin, which a hash
 * selects (A. Shrivastava, Optimal densification for fast and accurate minwise hashing, ICML 2017). Of each value one
 * byte is kept (P. Li and A. C. König, b-bit minwise hashing, WWW 2010), so two different values look the same in one
 * case of 256.
 */
export function signatureOf({ name, description, text }: ComparedText): TextSignature {
  const sketcher = new TextSketcher();
  sketcher.read(description);
  // The text of a skill without files repeats its description.
  if (text !== description) sketcher.read(text);
  return { name: fnv1a(nameKey(name)), text: sketcher.hash(), words: sketcher.words, sketch: sketcher.sketch() };
}

/**
 * The number of values in which the sketches of two documents differ.
 *
 * @param sketches of all documents, one after the other
 * @param limit counting stops above it
 */
export function differingValues(sketches: Uint8Array, a: number, b: number, limit: number): number {
  const [left, right] = [a * SKETCH_BYTES, b * SKETCH_BYTES];
  let differing = 0;
  for (let i = 0; i < SKETCH_BYTES && differing <= limit; i++) {
    if (sketches[left + i] !== sketches[right + i]) differing += 1;
  }
  return differing;
}

/** The finaliser of MurmurHash3: every bit of the input affects every bit of the result, which is unsigned. */
function scramble(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Marks a bin without a shingle. */
const EMPTY = 0xffffffff;

/** The bins of the text that is read, and its finished sketch. Shared, since one text is read at a time. */
const bins = new Uint32Array(SKETCH_BYTES);
const sketch = new Uint8Array(SKETCH_BYTES);

/** Reads one text at a time, in one or more pieces. */
class TextSketcher {
  words = 0;
  /** Of all words so far, in order. */
  #hash = 0;

  constructor() {
    bins.fill(EMPTY);
  }

  read(text: string): void {
    const { hashes, count } = readWordHashes(text);
    let hash = this.#hash;
    let [a, b] = [0, 0];
    for (let i = 0; i < count; i++) {
      const c = hashes[i]!;
      hash = (Math.imul(hash, PRIME_1) + c) | 0;
      // A text with fewer words than a shingle is one shingle.
      if (i >= SHINGLE - 1 || i === count - 1) addShingle(a, b, c);
      a = b;
      b = c;
    }
    this.words += count;
    this.#hash = hash;
  }

  /** 53 bits: 32 from the words in order, 21 from the shingles. */
  hash(): number {
    let shingles = 0;
    for (let bin = 0; bin < SKETCH_BYTES; bin++) shingles = Math.imul(shingles ^ bins[bin]!, PRIME_2);
    return scramble(this.#hash) * 2 ** 21 + (scramble(shingles) >>> 11);
  }

  sketch(): Uint8Array {
    if (this.words === 0) return sketch.fill(0);
    for (let bin = 0; bin < SKETCH_BYTES; bin++) sketch[bin] = scramble(bins[filledBin(bin)]!);
    return sketch;
  }
}

/** The primes of xxHash32: odd, with irregular bits. */
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;

function addShingle(a: number, b: number, c: number): void {
  // The three products do not depend on each other, so the processor computes them in parallel. The last
  // multiplication mixes the upper bits.
  const mixed = Math.imul(a, PRIME_1) ^ Math.imul(b, PRIME_2) ^ Math.imul(c, PRIME_3);
  const hash = Math.imul(mixed ^ (mixed >>> 15), PRIME_4);
  // The upper 7 bits select the bin; the others are compared.
  const bin = hash >>> 25;
  const value = (hash ^ (hash >>> 13)) & 0x1ffffff;
  if (value < bins[bin]!) bins[bin] = value;
}

/** The bin itself, or the bin that an empty one borrows from. */
function filledBin(bin: number): number {
  let from = bin;
  for (let attempt = 1; bins[from] === EMPTY; attempt++) from = scramble(bin * 0x10000 + attempt) % SKETCH_BYTES;
  return from;
}

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
function readWordHashes(text: string): { readonly hashes: Int32Array; readonly count: number } {
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

/** Bytes of a stored signature: name, text, words, sketch. Indexes of SQLite know the places of the first two. */
const SIGNATURE_BYTES = 16 + SKETCH_BYTES;

/** The column `signature` of a skill. */
function packSignature({ name, text, words, sketch }: TextSignature): Buffer {
  const bytes = Buffer.alloc(SIGNATURE_BYTES);
  bytes.writeUInt32BE(name, 0);
  bytes.writeDoubleBE(text, 4);
  bytes.writeUInt32BE(words, 12);
  bytes.set(sketch, 16);
  return bytes;
}

/** @param bytes the column, as it was written */
export function unpackSignature(bytes: Buffer): TextSignature {
  return {
    name: bytes.readUInt32BE(0),
    text: bytes.readDoubleBE(4),
    words: bytes.readUInt32BE(12),
    sketch: bytes.subarray(16),
  };
}

/** Key in `meta` of the rules by which the signatures were made. */
const RULES_KEY = 'signature_rules';

/** The words of a text depend on the version of Unicode of the runtime, too. */
const RULES = `${SIGNATURE_RULES} ${process.versions['unicode']}`;

/** Whether the signatures of a catalogue were made by the present rules. */
export function hasPresentSignatures(catalogue: Connection): boolean {
  return readMeta(catalogue, RULES_KEY) === RULES;
}

/** Whether signatures can be compared with each other: also if they were made with another version of Unicode. */
export function hasComparableSignatures(catalogue: Connection): boolean {
  return readMeta(catalogue, RULES_KEY)?.split(' ')[0] === String(SIGNATURE_RULES);
}

/** Notes that the signatures of a catalogue were made by the present rules. */
export function noteSignatureRules(catalogue: Connection): void {
  writeMeta(catalogue, RULES_KEY, RULES);
}

/** The signature of a skill, before it is stored. */
export function signatureFor(
  { name, description }: Pick<Skill, 'name' | 'description'>,
  files: readonly { readonly filename: string; readonly text: string }[],
): Buffer {
  const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
  return packSignature(signatureOf({ name, description, text: file?.text ?? description }));
}
