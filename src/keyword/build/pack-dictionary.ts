import {
  countingSort,
  FNV_BASIS,
  FNV_PRIME,
  foldAccents,
  GrowingUint32,
  isUnspacedTerm,
  stemOf,
  type TermNumber,
} from '../../core/index.js';
import type { PackedStrings } from '../packed-keywords.js';
import { LETTER_GROUP_COUNT, letterGroupOf, lettersOf, numbersIn, type PackedDictionary } from '../term-dictionary.js';

/**
 * Builds a dictionary.
 *
 * @param terms each once, in any order
 * @returns the dictionary, its terms in order, and by index in the given ones the number of each
 */
export function packDictionary(terms: readonly string[]): {
  readonly dictionary: PackedDictionary;
  readonly texts: readonly string[];
  readonly numberOf: Uint32Array;
} {
  const folded = terms.map(foldAccents);
  // Among equal forms the order is that of the terms. Of these one at most is ASCII, and comes first.
  const order = orderOf(terms.map((term, i) => (isAscii(term) ? term : `${folded[i]!}\0${term}`)));
  const numberOf = inverseOf(order);
  const [texts, forms] = [order.map((i) => terms[i]!), order.map((i) => folded[i]!)];
  const accentedNumbers = numbersIn(0, order.length).filter((term) => forms[term] !== texts[term]);
  const dictionary = {
    forms: packStrings(forms),
    accented: packStrings(Array.from(accentedNumbers, (term) => texts[term]!)),
    accentedNumbers,
    ...packStems(forms),
    ...packLetterGroups(forms),
  };
  return { dictionary, texts, numberOf };
}

/** The terms of a dictionary, by number. */
export function termsOf({ forms, accented, accentedNumbers }: PackedDictionary): string[] {
  const terms = unpackStrings(forms);
  for (const [i, text] of unpackStrings(accented).entries()) terms[accentedNumbers[i]!] = text;
  return terms;
}

/**
 * The stems of a dictionary, and the terms of each. Terms of texts without spaces have none.
 *
 * @param forms in the order of the terms' numbers
 */
function packStems(forms: readonly string[]): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const stemOfTerm = forms.map((form) => (isUnspacedTerm(form) ? '' : stemOf(form)));
  const stems: string[] = [];
  const stemStarts = new GrowingUint32();
  const stemTerms = new GrowingUint32();
  for (const term of orderOf(stemOfTerm)) {
    const stem = stemOfTerm[term]!;
    if (stem === '') continue;
    if (stem !== stems.at(-1)) {
      stems.push(stem);
      stemStarts.push(stemTerms.length);
    }
    stemTerms.push(term);
  }
  stemStarts.push(stemTerms.length);
  return { stems: packStrings(stems), stemStarts: stemStarts.values.slice(), stemTerms: stemTerms.values.slice() };
}

/**
 * Groups the terms of a dictionary by length, then by letter group. See {@link PackedDictionary}.
 *
 * @param forms in the order of the terms' numbers
 */
function packLetterGroups(forms: readonly string[]): Pick<PackedDictionary, 'byGroup' | 'letters' | 'groupStarts'> {
  const letters = Uint32Array.from(forms, lettersOf);
  let longest = 0;
  /** Length and letter group of each term as one key; negative for a term that is in no group. */
  const groupOf = Int32Array.from(forms, (form, term) => {
    if (isUnspacedTerm(form)) return -1;
    longest = Math.max(longest, form.length);
    return form.length * LETTER_GROUP_COUNT + letterGroupOf(letters[term]!);
  });
  const { starts, items } = countingSort(groupOf, (longest + 1) * LETTER_GROUP_COUNT);
  return { byGroup: items, letters: items.map((term) => letters[term]!), groupStarts: starts };
}

const ASCII = /^[\x00-\x7f]*$/;

function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The indexes of texts in the order of their bytes in UTF-8, which is that of code points; those of equal ones ascend.
 * Fast where the texts come in sorted runs: the sort of arrays merges these, that of typed arrays does not.
 */
export function orderOf(texts: readonly string[]): number[] {
  const bytes = texts.map((text) => (isAscii(text) ? text : Buffer.from(text).toString('latin1')));
  return [...texts.keys()].sort((a, b) => (bytes[a]! < bytes[b]! ? -1 : bytes[a] === bytes[b] ? 0 : 1));
}

/** By item of an order, its place there. */
export function inverseOf(order: readonly number[]): Uint32Array {
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]!] = place;
  return places;
}

export function packStrings(texts: readonly string[]): PackedStrings {
  const starts = new Uint32Array(texts.length + 1);
  for (const [i, text] of texts.entries())
    starts[i + 1] = starts[i]! + (isAscii(text) ? text.length : Buffer.byteLength(text));
  return { bytes: new Uint8Array(Buffer.from(texts.join(''))), starts };
}

export function unpackStrings({ bytes, starts }: PackedStrings): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const all = buffer.toString('latin1');
  return Array.from({ length: starts.length - 1 }, (_, i) => {
    const text = all.slice(starts[i], starts[i + 1]);
    return isAscii(text) ? text : buffer.toString('utf8', starts[i], starts[i + 1]);
  });
}

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
    const to = this.#end + this.#bytes.write(term, this.#end);
    let hash = FNV_BASIS;
    for (let i = this.#end; i < to; i++) hash = Math.imul(hash ^ this.#bytes[i]!, FNV_PRIME);
    return this.#addWritten(to, hash);
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

  /** The terms in the order of their numbers. */
  get texts(): string[] {
    return unpackStrings({ bytes: this.#bytes.subarray(0, this.#end), starts: this.#starts.values });
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

/** Whether the `plainTerm` of a text that begins at `start` leaves a character out. */
function isLeftOut(text: string, start: number, i: number): boolean {
  const unit = text.charCodeAt(i);
  if (unit === UNDERSCORE || unit === HYPHEN) return true;
  return unit === DOT && i > start && !(isDigit(text.charCodeAt(i - 1)) && isDigit(text.charCodeAt(i + 1)));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
