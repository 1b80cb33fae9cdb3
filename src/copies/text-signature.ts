import { readWordHashes } from './text-words.js';

/**
 * Version of what a signature is made of, and of how it is compared. Whoever changes either must raise it: signatures of
 * another version are made anew by the next load.
 */
export const SIGNATURE_RULES = 1;

/** Values of a sketch, a byte each. */
export const SKETCH_BYTES = 128;

/** Words of a shingle. */
const SHINGLE = 3;

/** What is kept of a skill's text, to find others of nearly the same. */
export interface TextSignature {
  /** Of the name without case, blanks and punctuation; 32 bits. */
  readonly name: number;
  /** Of all words of the text in order: equal for the same words only, but for a chance of 2^-53. */
  readonly text: number;
  /** How many words the text has. */
  readonly words: number;
  /**
   * The share of values that two have in common estimates the Jaccard similarity of their texts' shingles. Valid until the
   * next signature is made.
   */
  readonly sketch: Uint8Array;
}

/** What a skill is compared by: its SKILL.md stands for all its files. */
export interface ComparedText {
  readonly name: string;
  readonly description: string;
  /** Of the SKILL.md, without front matter. */
  readonly text: string;
}

/**
 * The signature of a skill's description and SKILL.md.
 *
 * A text is the set of its shingles, runs of three words (Broder, On the resemblance and containment of documents, 1997).
 * The sketch of a set is made by one permutation in bins: a hash says to which bin a shingle belongs, and of each
 * bin the least hash is kept. Empty bins borrow from others, chosen by a hash of their own (Shrivastava, Optimal densification for
 * fast and accurate minwise hashing, ICML 2017). Of each value a byte is kept (Li and König, b-bit minwise hashing, WWW 2010): two
 * that differ look the same in one case of 256.
 */
export function signatureOf({ name, description, text }: ComparedText): TextSignature {
  const reading = new Reading();
  reading.read(description);
  // A skill without files has one that is made of its description.
  if (text !== description) reading.read(text);
  return { name: hashOfName(name), text: reading.hash(), words: reading.words, sketch: reading.sketch() };
}

/** In how many values two of many sketches differ; counting ends where these are more than a limit. */
export function differingValues(sketches: Uint8Array, a: number, b: number, limit: number): number {
  const [left, right] = [a * SKETCH_BYTES, b * SKETCH_BYTES];
  let differing = 0;
  for (let i = 0; i < SKETCH_BYTES && differing <= limit; i++) {
    if (sketches[left + i] !== sketches[right + i]) differing += 1;
  }
  return differing;
}

function hashOfName(name: string): number {
  const letters = lettersOf(name);
  let hash = 0;
  for (let i = 0; i < letters.length; i++) hash = scramble(Math.imul(hash, 31) ^ letters.charCodeAt(i));
  return hash;
}

/** `pdf-forms`, `PDF Forms` and `pdfforms` are one name; `c` and `c++` are two. */
function lettersOf(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return name.replaceAll('-', '');
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}+#]/gu, '');
}

/** The finaliser of MurmurHash3: every bit of what goes in tells in every bit of what comes out. Unsigned. */
function scramble(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Stands for a bin that no shingle fell into. */
const EMPTY = 0xffffffff;

/** The bins of the text that is being read: one at a time. */
const bins = new Uint32Array(SKETCH_BYTES);

/** What is handed out of it. */
const sketch = new Uint8Array(SKETCH_BYTES);

class Reading {
  words = 0;
  /** Of all words, in order. */
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
      // Fewer words than a shingle are one.
      if (i >= SHINGLE - 1 || i === count - 1) addShingle(a, b, c);
      a = b;
      b = c;
    }
    this.words += count;
    this.#hash = hash;
  }

  /** The words in order tell the upper 32 bits, the shingles the lower 21. */
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

/** Odd, and their bits without order: those of xxHash32. */
const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;

function addShingle(a: number, b: number, c: number): void {
  // Products of three words do not wait for each other; what is multiplied last spreads over the upper bits.
  const mixed = Math.imul(a, PRIME_1) ^ Math.imul(b, PRIME_2) ^ Math.imul(c, PRIME_3);
  const hash = Math.imul(mixed ^ (mixed >>> 15), PRIME_4);
  const bin = hash >>> 25;
  // The bin takes the upper 7 bits; what is left decides.
  const value = (hash ^ (hash >>> 13)) & 0x1ffffff;
  if (value < bins[bin]!) bins[bin] = value;
}

/** The bin itself, or the one that it borrows from. */
function filledBin(bin: number): number {
  let from = bin;
  for (let attempt = 1; bins[from] === EMPTY; attempt++) from = scramble(bin * 0x10000 + attempt) % SKETCH_BYTES;
  return from;
}
