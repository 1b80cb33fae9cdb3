import { readFileSync } from 'node:fs';
import { dataFile, FNV_BASIS, FNV_PRIME, fnv1a } from '../../core/index.js';

/** Number of values of a word's vector. */
export const WORD_DIMENSIONS = 64;
/** Values that are stored together, as the number of one of 256 centres. */
export const PART = 4;
export const PARTS: number = WORD_DIMENSIONS / PART;
export const CENTRES = 256;

/**
 * The file with the vectors of words, which `npm run bench:hook words` writes: a scale (float32) and the number of
 * words (uint32), the centres of each part (int8), the hashes of the words in ascending order (uint32), the centres of
 * each word (uint8). All little endian.
 */
export const WORD_TABLE: URL = dataFile('hook-words.bin');

/** Hashes are looked up among those of the same 12 bits. */
const BUCKET_SHIFT = 20;

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
  /** By the first bits of a hash, where those that begin with them begin. */
  readonly #buckets: Uint32Array = new Uint32Array(2 ** (32 - BUCKET_SHIFT) + 1);
  readonly #codes: Uint8Array;
  /** By word, the last text that had it. */
  readonly #lastText: Uint32Array;
  #texts = 0;

  constructor(file: Buffer) {
    const scale = file.readFloatLE(0);
    const count = file.readUInt32LE(4);
    const hashesAt = 8 + PARTS * CENTRES * PART;
    this.#centres = new Float32Array(hashesAt - 8);
    for (let i = 0; i < this.#centres.length; i++) this.#centres[i] = scale * file.readInt8(8 + i);
    this.#hashes = new Uint32Array(count);
    let bucket = 0;
    for (let i = 0; i < count; i++) {
      const hash = file.readUInt32LE(hashesAt + 4 * i);
      this.#hashes[i] = hash;
      while (bucket <= hash >>> BUCKET_SHIFT) this.#buckets[bucket++] = i;
    }
    this.#buckets.fill(count, bucket);
    this.#codes = file.subarray(hashesAt + 4 * count);
    this.#lastText = new Uint32Array(count);
  }

  static read(): WordTable {
    return new WordTable(readFileSync(WORD_TABLE));
  }

  /**
   * The vector of a text, of unit length; 0 if no word of it is known. The words are those of {@link wordsIn}, read
   * without making strings of them: `hook` reads hundreds of texts before anything is compiled.
   */
  vectorOf(text: string): Float32Array {
    this.#texts += 1;
    const sum = new Float32Array(WORD_DIMENSIONS);
    let hash = 0;
    let inWord = false;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      const kind = unit < 0x80 ? ASCII[unit]! : kindOf(text[i]!);
      if (kind > OTHER && (inWord || kind >= LETTER)) {
        hash = Math.imul((inWord ? hash : FNV_BASIS) ^ (kind === CAPITAL ? unit + 0x20 : unit), FNV_PRIME);
        inWord = true;
      } else if (inWord) {
        this.#add(hash >>> 0, sum);
        inWord = false;
      }
    }
    if (inWord) this.#add(hash >>> 0, sum);
    let squares = 0;
    for (let i = 0; i < WORD_DIMENSIONS; i++) squares += sum[i]! * sum[i]!;
    const length = Math.sqrt(squares);
    if (length > 0) for (let i = 0; i < WORD_DIMENSIONS; i++) sum[i] = sum[i]! / length;
    return sum;
  }

  /** Adds the vector of a word, if it is known, and the first time in a text. */
  #add(hash: number, sum: Float32Array): void {
    const place = this.#placeOf(hash);
    if (place === undefined || this.#lastText[place] === this.#texts) return;
    this.#lastText[place] = this.#texts;
    for (let part = 0; part < PARTS; part++) {
      const from = (part * CENTRES + this.#codes[place * PARTS + part]!) * PART;
      const to = part * PART;
      for (let i = 0; i < PART; i++) sum[to + i] = sum[to + i]! + this.#centres[from + i]!;
    }
  }

  #placeOf(hash: number): number | undefined {
    const bucket = hash >>> BUCKET_SHIFT;
    const end = this.#buckets[bucket + 1]!;
    for (let place = this.#buckets[bucket]!; place < end; place++) if (this.#hashes[place] === hash) return place;
    return undefined;
  }
}

let table: WordTable | undefined;

/** The table of the package; read when it is first needed. */
export function wordTable(): WordTable {
  table ??= WordTable.read();
  return table;
}

/** What a character is in a word: only a letter begins one. The table has no capitals, and no word beyond ASCII. */
const [OTHER, NUMBER, LETTER, CAPITAL] = [0, 1, 2, 3];
const ASCII: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, unit) => kindOf(String.fromCharCode(unit)));

function kindOf(character: string): number {
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/\p{L}/u.test(character)) return LETTER;
  return /[\p{N}_]/u.test(character) ? NUMBER : OTHER;
}

/** Places that words are spread over: some share one. */
const PLACES = 1024;

/** How much the two halves count; together about of unit length. Chosen by hand. */
const [BY_WORDS, BY_MEANING] = [0.55, 0.83];

/** Words, numbers, and signs by themselves. */
const TOKENS = /\p{L}[\p{L}\p{N}_']*|\p{N}+|[^\p{L}\p{N}\s]/gu;

/**
 * What a text is made of, as a vector: which words and signs it has, about how many, and roughly what they mean. At
 * most of unit length.
 */
export function wordVector(text: string): Float32Array {
  const parts = text.toLowerCase().match(TOKENS) ?? [];
  const kinds = new Set(parts.map((part) => (/\p{N}/u.test(part[0]!) ? '0' : part)));
  kinds.add(`length ${Math.min(6, Math.floor(Math.log2(parts.length + 1)))}`);
  const places = new Set([...kinds].map((kind) => fnv1a(kind) % PLACES));
  const vector = new Float32Array(PLACES + WORD_DIMENSIONS);
  for (const place of places) vector[place] = BY_WORDS / Math.sqrt(places.size);
  for (const [i, value] of wordTable().vectorOf(text).entries()) vector[PLACES + i] = BY_MEANING * value;
  return vector;
}
