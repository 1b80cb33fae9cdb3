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
import { compareBytes, isAscii, type PackedStrings, pickStrings } from '../packed-keywords.js';
import {
  LETTER_GROUP_COUNT,
  letterGroupOf,
  lettersOf,
  lettersOfBytes,
  type PackedDictionary,
} from '../term-dictionary.js';

/**
 * Builds a dictionary.
 *
 * @param terms each once, in any order
 * @returns the dictionary, and by index in `terms` the number of each term in it
 */
export function packDictionary(terms: PackedStrings): { dictionary: PackedDictionary; numberOf: Uint32Array } {
  const { forms, accented } = formsOf(terms);
  const order = Uint32Array.from({ length: terms.starts.length - 1 }, (_, i) => i);
  sortByBytes(forms, order);
  sortEqualForms(terms, forms, order);
  const numberOf = new Uint32Array(order.length);
  for (let term = 0; term < order.length; term++) numberOf[order[term]!] = term;

  const sortedForms = pickStrings(forms, order);
  const accentedNumbers = Uint32Array.from(accented, (i) => numberOf[i]!).sort();
  const dictionary = {
    forms: sortedForms,
    accented: pickStrings(
      terms,
      accentedNumbers.map((term) => order[term]!),
    ),
    accentedNumbers,
    ...packStems(sortedForms),
    ...packLetterGroups(sortedForms),
  };
  return { dictionary, numberOf };
}

/** The form of each term, and the indexes of the terms that differ from their form. */
function formsOf(terms: PackedStrings): { forms: PackedStrings; accented: number[] } {
  const { bytes, starts } = terms;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const accented: number[] = [];
  const accentedForms: Buffer[] = [];
  let length = starts.at(-1)!;
  for (let i = 0; i + 1 < starts.length; i++) {
    const [start, end] = [starts[i]!, starts[i + 1]!];
    if (isAscii(bytes, start, end)) continue;
    const term = text.toString('utf8', start, end);
    const form = foldAccents(term);
    if (form === term) continue;
    const formBytes = Buffer.from(form);
    accented.push(i);
    accentedForms.push(formBytes);
    length += formBytes.length - (end - start);
  }
  if (accented.length === 0) return { forms: terms, accented };
  const formBytes = new Uint8Array(length);
  const formStarts = new Uint32Array(starts.length);
  let [from, at] = [0, 0];
  // The bytes between two accented terms stay as they are.
  const copyUpTo = (to: number): void => {
    const shift = at - starts[from]!;
    formBytes.set(bytes.subarray(starts[from], starts[to]), at);
    for (let i = from; i <= to; i++) formStarts[i] = starts[i]! + shift;
    at = formStarts[to]!;
  };
  for (const [n, i] of accented.entries()) {
    copyUpTo(i);
    const form = accentedForms[n]!;
    formBytes.set(form, at);
    at += form.length;
    formStarts[i + 1] = at;
    from = i + 1;
  }
  copyUpTo(starts.length - 1);
  return { forms: { bytes: formBytes, starts: formStarts }, accented };
}

/** Sorts terms of the same form by their own bytes. */
function sortEqualForms(terms: PackedStrings, forms: PackedStrings, order: Uint32Array): void {
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && compareBytes(forms, order[from]!, forms, order[to]!) === 0) to += 1;
    if (to - from > 1) sortByBytes(terms, order.subarray(from, to));
    from = to;
  }
}

/** Marks a term of a text without spaces: it has no stem. */
const NO_STEM = -1;

/**
 * The stems of a dictionary, and the terms of each.
 *
 * @param forms in the order of the terms' numbers
 */
function packStems(forms: PackedStrings): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const table = new TermTable();
  const stemOfTerm = new Int32Array(forms.starts.length - 1);
  for (let term = 0; term < stemOfTerm.length; term++) stemOfTerm[term] = addStem(table, forms, term);

  const order = Uint32Array.from({ length: table.size }, (_, i) => i);
  sortByBytes(table.strings, order);
  const rankOf = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank;
  for (let term = 0; term < stemOfTerm.length; term++) {
    const stem = stemOfTerm[term]!;
    if (stem !== NO_STEM) stemOfTerm[term] = rankOf[stem]!;
  }
  const { starts, items } = countingSort(stemOfTerm, order.length);
  return { stems: pickStrings(table.strings, order), stemStarts: starts, stemTerms: items };
}

/** @returns the number of the term's stem in the table, or {@link NO_STEM} */
function addStem(table: TermTable, { bytes, starts }: PackedStrings, term: TermNumber): number {
  const [start, end] = [starts[term]!, starts[term + 1]!];
  if (isAscii(bytes, start, end) && !isEnglish(bytes, start, end)) return table.addBytes(bytes, start, end);
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end);
  return isUnspacedTerm(form) ? NO_STEM : table.add(stemOf(form));
}

/** Whether a form has only the letters `a` to `z` and is long enough to differ from its stem. */
function isEnglish(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 3) return false;
  for (let i = start; i < end; i++) if (bytes[i]! < 0x61 || bytes[i]! > 0x7a) return false;
  return true;
}

/** Length of a term of a text without spaces, which is in no group. */
const NO_LENGTH = -1;

/**
 * Groups the terms of a dictionary by length, then by letter group. See {@link PackedDictionary}.
 *
 * @param forms in the order of the terms' numbers
 */
export function packLetterGroups(forms: PackedStrings): Pick<PackedDictionary, 'byGroup' | 'letters' | 'groupStarts'> {
  const { bytes, starts } = forms;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const termCount = starts.length - 1;
  /** Length and letter group of each term as one key; negative for a term that is in no group. */
  const groupOfTerm = new Int32Array(termCount);
  const lettersOfTerm = new Uint32Array(termCount);
  let longest = 0;
  for (let term = 0; term < termCount; term++) {
    const [start, end] = [starts[term]!, starts[term + 1]!];
    let length = end - start;
    let letters: number;
    if (isAscii(bytes, start, end)) {
      letters = lettersOfBytes(bytes, start, end);
    } else {
      const form = text.toString('utf8', start, end);
      length = isUnspacedTerm(form) ? NO_LENGTH : form.length;
      letters = lettersOf(form);
    }
    lettersOfTerm[term] = letters;
    groupOfTerm[term] = length === NO_LENGTH ? -1 : length * LETTER_GROUP_COUNT + letterGroupOf(letters);
    longest = Math.max(longest, length);
  }
  const { starts: groupStarts, items: byGroup } = countingSort(groupOfTerm, (longest + 1) * LETTER_GROUP_COUNT);
  return { byGroup, letters: byGroup.map((term) => lettersOfTerm[term]!), groupStarts };
}

/** Ranges of at most this many strings are sorted by insertion. */
const FEW = 12;

/**
 * Sorts the numbers of strings, in place, by the bytes of the strings. The order of equal strings is undefined.
 * Multikey quicksort: J. Bentley, R. Sedgewick, Fast algorithms for sorting and searching strings, SODA 1997.
 */
export function sortByBytes({ bytes, starts }: PackedStrings, numbers: Uint32Array): void {
  /** The byte plus 1; 0 behind the end of the string. */
  const byteOf = (number: number, depth: number): number => {
    const at = starts[number]! + depth;
    return at < starts[number + 1]! ? bytes[at]! + 1 : 0;
  };

  const isBefore = (a: number, b: number, depth: number): boolean => {
    for (let i = depth; ; i++) {
      const [byteA, byteB] = [byteOf(a, i), byteOf(b, i)];
      if (byteA !== byteB) return byteA < byteB;
      if (byteA === 0) return false;
    }
  };

  const insert = (from: number, to: number, depth: number): void => {
    for (let i = from + 1; i < to; i++) {
      const number = numbers[i]!;
      let at = i;
      for (; at > from && isBefore(number, numbers[at - 1]!, depth); at--) {
        numbers[at] = numbers[at - 1]!;
      }
      numbers[at] = number;
    }
  };

  /** Sorts a range of strings that have the same first `depth` bytes. */
  const sort = (from: number, to: number, depth: number): void => {
    if (to - from <= FEW) {
      insert(from, to, depth);
      return;
    }
    const pivot = median(
      byteOf(numbers[from]!, depth),
      byteOf(numbers[(from + to) >>> 1]!, depth),
      byteOf(numbers[to - 1]!, depth),
    );
    let [low, high] = [from, to];
    for (let i = from; i < high; ) {
      const number = numbers[i]!;
      const byte = byteOf(number, depth);
      if (byte < pivot) {
        numbers[i++] = numbers[low]!;
        numbers[low++] = number;
      } else if (byte > pivot) {
        numbers[i] = numbers[--high]!;
        numbers[high] = number;
      } else {
        i += 1;
      }
    }
    // A byte has few values and a term has few bytes, so the recursion is at most some thousand calls deep.
    sort(from, low, depth);
    if (pivot !== 0) sort(low, high, depth + 1);
    sort(high, to, depth);
  };

  sort(0, numbers.length, 0);
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
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
