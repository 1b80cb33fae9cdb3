import { readFileSync } from 'node:fs';
import { fnv1a } from '../text/fnv1a.js';

/** Number of values of a word's vector. */
export const WORD_DIMENSIONS = 64;
/** Values that are stored together, as the number of one of 256 centres. */
export const PART = 4;
export const PARTS: number = WORD_DIMENSIONS / PART;
export const CENTRES = 256;

/**
 * The file with the vectors of words, which `npm run bench:hook words` writes: a scale (float32) and the number of words
 * (uint32), the centres of each part (int8), the hashes of the words in ascending order (uint32), the centres of each
 * word (uint8). All little endian.
 */
export const WORD_TABLE: URL = new URL('../../data/hook-words.bin', import.meta.url);

const WORD = /\p{L}[\p{L}\p{N}_]*/gu;

/** The words of a text, in lower case, each once. */
export function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(WORD));
}

/**
 * What English words mean, roughly: vectors whose sum over the words of a text comes near the vector that the model has
 * for the text. So texts about the same matter are near without a word in common, and no model need be loaded.
 */
export class WordTable {
  readonly #centres: Float32Array;
  readonly #hashes: Uint32Array;
  readonly #codes: Uint8Array;
  /** Of words that were looked up; undefined for unknown ones. */
  readonly #known = new Map<string, Float32Array | undefined>();

  constructor(file: Buffer) {
    const scale = file.readFloatLE(0);
    const count = file.readUInt32LE(4);
    this.#centres = Float32Array.from({ length: PARTS * CENTRES * PART }, (_, i) => scale * file.readInt8(8 + i));
    const hashesAt = 8 + this.#centres.length;
    this.#hashes = Uint32Array.from({ length: count }, (_, i) => file.readUInt32LE(hashesAt + 4 * i));
    this.#codes = file.subarray(hashesAt + 4 * count);
  }

  static read(): WordTable {
    return new WordTable(readFileSync(WORD_TABLE));
  }

  /** The vector of a text, of unit length; 0 if no word of it is known. */
  vectorOf(text: string): Float32Array {
    const sum = new Float32Array(WORD_DIMENSIONS);
    for (const word of wordsIn(text)) {
      const vector = this.#ofWord(word);
      if (vector === undefined) continue;
      for (let i = 0; i < WORD_DIMENSIONS; i++) sum[i] = sum[i]! + vector[i]!;
    }
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
    return length === 0 ? sum : sum.map((value) => value / length);
  }

  #ofWord(word: string): Float32Array | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    const place = this.#placeOf(fnv1a(word));
    let vector: Float32Array | undefined;
    if (place !== undefined) {
      vector = new Float32Array(WORD_DIMENSIONS);
      for (let part = 0; part < PARTS; part++) {
        const from = (part * CENTRES + this.#codes[place * PARTS + part]!) * PART;
        for (let i = 0; i < PART; i++) vector[part * PART + i] = this.#centres[from + i]!;
      }
    }
    this.#known.set(word, vector);
    return vector;
  }

  #placeOf(hash: number): number | undefined {
    let [low, high] = [0, this.#hashes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashes[middle]! < hash) low = middle + 1;
      else high = middle;
    }
    return this.#hashes[low] === hash ? low : undefined;
  }
}
