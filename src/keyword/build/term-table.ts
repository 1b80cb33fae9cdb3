import { FNV_BASIS, FNV_PRIME, GrowingUint32, type TermNumber } from '../../core/index.js';
import type { PackedStrings } from '../packed-keywords.js';

const UNDERSCORE = 0x5f;
const HYPHEN = 0x2d;
const DOT = 0x2e;

/**
 * Numbers terms from 0 in the order in which they are first added. A hash table with linear probing over typed arrays.
 * It keeps terms as UTF-8, so a term of ASCII characters never becomes a string.
 */
export class TermTable {
  /** Two numbers a slot: the hash of its term, and the term's number + 1, or 0 if the slot is free. Half are free. */
  #slots = new Uint32Array(2 * 4096);
  /** The terms, one after the other. A term that is looked up is written behind the last one. */
  #bytes = Buffer.alloc(1 << 16);
  readonly #starts = new GrowingUint32();
  #end = 0;

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  /** The number of a term. Adds the term if it is new. */
  add(term: string): TermNumber {
    // A UTF-16 unit becomes at most three bytes.
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
        // Surrogates are rare. For short strings without them, this loop is faster than the native method.
        to = this.#end + bytes.write(term, this.#end);
        break;
      }
    }
    return this.#addWritten(to, hashOf(bytes, this.#end, to));
  }

  /** Like {@link add} for the `plainTerm` of the characters from `start` up to `end`. */
  addPlain(text: string, start: number, end: number): TermNumber {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let to = this.#end;
    let hash = FNV_BASIS;
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      if ((unit < 0x30 || unit === UNDERSCORE) && isLeftOut(text, start, i)) continue;
      // Turns upper case into lower case. Digits, `+`, `#` and dots have this bit already.
      const byte = unit | 0x20;
      bytes[to++] = byte;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    return this.#addWritten(to, hash);
  }

  /** Like {@link add} for a term in UTF-8. */
  addBytes(bytes: Uint8Array, start: number, end: number): TermNumber {
    this.#reserve(end - start);
    let to = this.#end;
    for (let i = start; i < end; i++) this.#bytes[to++] = bytes[i]!;
    return this.#addWritten(to, hashOf(bytes, start, end));
  }

  /** A view of the terms in the order of their numbers, not a copy. */
  get strings(): PackedStrings {
    return { bytes: this.#bytes.subarray(0, this.#end), starts: this.#starts.values };
  }

  /** The number of the term between `#end` and `to`. */
  #addWritten(to: number, weakHash: number): TermNumber {
    const from = this.#end;
    // The low bits of FNV-1a are its weakest.
    const hash = (weakHash ^ (weakHash >>> 15)) >>> 0;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash * 2) & mask;
    for (; slots[slot + 1] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot] !== hash) continue;
      const term = slots[slot + 1]! - 1;
      if (this.#equals(term, from, to)) return term;
    }
    const term = this.size;
    slots[slot] = hash;
    slots[slot + 1] = term + 1;
    this.#end = to;
    this.#starts.push(to);
    if (this.size * 4 > slots.length) this.#growSlots();
    return term;
  }

  #equals(term: TermNumber, from: number, to: number): boolean {
    const bytes = this.#bytes;
    let at = this.#starts.at(term);
    if (this.#starts.at(term + 1) - at !== to - from) return false;
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[at++]) return false;
    return true;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#end + length));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  #growSlots(): void {
    const former = this.#slots;
    const slots = new Uint32Array(former.length * 2);
    const mask = slots.length - 1;
    for (let i = 0; i < former.length; i += 2) {
      if (former[i + 1] === 0) continue;
      let slot = (former[i]! * 2) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = former[i]!;
      slots[slot + 1] = former[i + 1]!;
    }
    this.#slots = slots;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  return hash;
}

/** Whether the `plainTerm` of a text that begins at `start` leaves a character out. */
function isLeftOut(text: string, start: number, i: number): boolean {
  const unit = text.charCodeAt(i);
  if (unit === UNDERSCORE || unit === HYPHEN) return true;
  return unit === DOT && i > start && !(isDigit(text.charCodeAt(i - 1)) && isDigit(text.charCodeAt(i + 1)));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
