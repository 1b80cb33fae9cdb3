import { GrowingUint32 } from '../../../arrays/growing-array.js';
import { FNV_BASIS, FNV_PRIME } from '../../../text/fnv1a.js';
import type { PackedStrings } from '../packed-strings.js';

const UNDERSCORE = 0x5f;
const HYPHEN = 0x2d;
const DOT = 0x2e;

/**
 * Numbers terms from 0 in the order of their first coming. A hash table with linear probing over typed arrays; terms are
 * the bytes of their UTF-8, so that one of plain Latin letters never becomes a string.
 */
export class TermTable {
  /** Of each place its hash and number + 1, 0 where it is free. Half of the places are free at least. */
  #places = new Uint32Array(2 * 4096);
  /** The terms one behind the other; the one that is looked for is written behind the last. */
  #bytes = Buffer.alloc(1 << 16);
  readonly #starts = new GrowingUint32();
  #end = 0;

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  /** The number of a term, which is put in if it is new. */
  add(term: string): number {
    // Three bytes a UTF-16 unit are enough.
    this.#reserve(term.length * 3);
    const bytes = this.#bytes;
    let to = this.#end;
    for (let i = 0; i < term.length; i++) {
      const unit = term.charCodeAt(i);
      if (unit < 0x80) {
        bytes[to++] = unit;
      } else if (unit < 0x800) {
        bytes[to++] = 0xc0 | (unit >> 6);
        bytes[to++] = 0x80 | (unit & 0x3f);
      } else if (unit < 0xd800 || unit > 0xdfff) {
        bytes[to++] = 0xe0 | (unit >> 12);
        bytes[to++] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[to++] = 0x80 | (unit & 0x3f);
      } else {
        // Surrogates, which are rare; for short strings without them the native method takes longer than this.
        to = this.#end + bytes.write(term, this.#end);
        break;
      }
    }
    return this.#addWritten(to, hashOf(bytes, this.#end, to));
  }

  /** {@link add} for the `plainTerm` of a stretch of a text. */
  addPlain(text: string, start: number, end: number): number {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let to = this.#end;
    let hash = FNV_BASIS;
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      if ((unit < 0x30 || unit === UNDERSCORE) && isLeftOut(text, start, i)) continue;
      // The bit that is set in lower case is set in digits, `+`, `#` and dots, too.
      const byte = unit | 0x20;
      bytes[to++] = byte;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    return this.#addWritten(to, hash);
  }

  /** {@link add} for a term's bytes. */
  addBytes(bytes: Uint8Array, start: number, end: number): number {
    this.#reserve(end - start);
    let to = this.#end;
    for (let i = start; i < end; i++) this.#bytes[to++] = bytes[i]!;
    return this.#addWritten(to, hashOf(bytes, start, end));
  }

  /** The terms in the order of their numbers; theirs is the same memory. */
  get strings(): PackedStrings {
    return { bytes: this.#bytes.subarray(0, this.#end), starts: this.#starts.values };
  }

  #addWritten(to: number, weakHash: number): number {
    const from = this.#end;
    // FNV's low bits are its weakest.
    const hash = (weakHash ^ (weakHash >>> 15)) >>> 0;
    const places = this.#places;
    const mask = places.length - 1;
    let place = (hash * 2) & mask;
    for (; places[place + 1] !== 0; place = (place + 2) & mask) {
      if (places[place] !== hash) continue;
      const number = places[place + 1]! - 1;
      if (this.#equals(number, from, to)) return number;
    }
    const number = this.size;
    places[place] = hash;
    places[place + 1] = number + 1;
    this.#end = to;
    this.#starts.push(to);
    if (this.size * 4 > places.length) this.#spread();
    return number;
  }

  #equals(number: number, from: number, to: number): boolean {
    const bytes = this.#bytes;
    let at = this.#starts.at(number);
    if (this.#starts.at(number + 1) - at !== to - from) return false;
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[at++]) return false;
    return true;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#end + length));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  #spread(): void {
    const former = this.#places;
    const places = new Uint32Array(former.length * 2);
    const mask = places.length - 1;
    for (let i = 0; i < former.length; i += 2) {
      if (former[i + 1] === 0) continue;
      let place = (former[i]! * 2) & mask;
      while (places[place + 1] !== 0) place = (place + 2) & mask;
      places[place] = former[i]!;
      places[place + 1] = former[i + 1]!;
    }
    this.#places = places;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  return hash;
}

/** Whether a character is none of the `plainTerm` that begins at `start`. */
function isLeftOut(text: string, start: number, i: number): boolean {
  const unit = text.charCodeAt(i);
  if (unit === UNDERSCORE || unit === HYPHEN) return true;
  return unit === DOT && i > start && !(isDigit(text.charCodeAt(i - 1)) && isDigit(text.charCodeAt(i + 1)));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
