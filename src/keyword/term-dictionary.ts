import {
  foldAccents,
  isUnspacedTerm,
  lowerBound,
  lowerBoundBy,
  type Pager,
  stemOf,
  type TermNumber,
} from '../core/index.js';
import { isAscii, type PackedStrings } from './packed-keywords.js';
import type { Work } from './work.js';

/** The arrays of a {@link TermDictionary}. */
export interface PackedDictionary {
  /** The form of each term: the term without accents. Terms are numbered by form, and by the term among equal forms. */
  readonly forms: PackedStrings;
  /** The terms that differ from their form. */
  readonly accented: PackedStrings;
  /** The numbers of these terms, ascending. */
  readonly accentedNumbers: Uint32Array;
  /** The stems in the order of their bytes. Terms of texts without spaces have none. */
  readonly stems: PackedStrings;
  /** Where the terms of each stem begin in `stemTerms`; one more than there are stems. */
  readonly stemStarts: Uint32Array;
  /** Terms by stem; ascending within a stem. */
  readonly stemTerms: Uint32Array;
  /** Terms by the length of their form, then by letter group. Terms of texts without spaces are left out. */
  readonly byGroup: Uint32Array;
  /** For each entry of `byGroup` the letters of the form, see {@link lettersOf}. */
  readonly letters: Uint32Array;
  /** Where each length and letter group begins in `byGroup`: at `length * LETTER_GROUP_COUNT + group`. One more. */
  readonly groupStarts: Uint32Array;
}

/** Looking a word up costs as much as reading this many postings. */
export const LOOKUP_COST = 800;

/** The same for each term of a range. */
export const TERM_COST = 8;

/** The same for comparing the letters of a form, and for comparing a form letter by letter. */
const LETTERS_COST = 1;
const COMPARISON_COST = 40;

/** All terms of a catalogue. Finds them by stem, by prefix and by edit distance. */
export class TermDictionary {
  readonly size: number;
  readonly #packed: PackedDictionary;
  readonly #forms: StringTable;
  readonly #stems: StringTable;
  readonly #accented: StringTable;
  readonly #pager: Pager;

  constructor(packed: PackedDictionary, pager: Pager) {
    this.#packed = packed;
    this.#pager = pager;
    this.#forms = new StringTable(packed.forms, pager);
    this.#stems = new StringTable(packed.stems, pager);
    this.#accented = new StringTable(packed.accented, pager);
    this.size = this.#forms.size;
  }

  termAt(term: TermNumber): string {
    const { accentedNumbers } = this.#packed;
    this.#pager.need(accentedNumbers);
    const i = lowerBound(accentedNumbers, term);
    return accentedNumbers[i] === term ? this.#accented.at(i) : this.#forms.at(term);
  }

  /** The term without accents. */
  formAt(term: TermNumber): string {
    return this.#forms.at(term);
  }

  /** The number of a term. */
  find(text: string): TermNumber | undefined {
    const [from, to] = this.#forms.rangeOf(foldAccents(text));
    for (let term = from; term < to; term++) if (this.termAt(term) === text) return term;
    return undefined;
  }

  /** The terms whose forms begin with that of a text: the first, and the one behind the last. */
  rangeOfPrefix(text: string): readonly [from: TermNumber, to: TermNumber] {
    return this.#forms.rangeOfPrefix(foldAccents(text));
  }

  isAccented(term: TermNumber): boolean {
    const { accentedNumbers } = this.#packed;
    this.#pager.need(accentedNumbers);
    return accentedNumbers[lowerBound(accentedNumbers, term)] === term;
  }

  /** The terms with the stem of a text; those of its form for a text without spaces. Ascending. */
  withSameStem(text: string): readonly TermNumber[] {
    if (isUnspacedTerm(text)) return [...numbersIn(...this.#forms.rangeOf(foldAccents(text)))];
    const [stem, end] = this.#stems.rangeOf(stemOf(text));
    if (stem === end) return [];
    const { stemStarts, stemTerms } = this.#packed;
    this.#pager.need(stemStarts, stem, stem + 2);
    this.#pager.need(stemTerms, stemStarts[stem], stemStarts[stem + 1]);
    return Array.from(stemTerms.subarray(stemStarts[stem]!, stemStarts[stem + 1]!));
  }

  /**
   * The terms whose form is a few edits away from another, by length, then by letter group, then by number.
   *
   * Looks at the forms whose length is near enough. Compares sets of letters first: those of whole groups, which leaves
   * one group in ten, then those of single forms. The few forms in a thousand that are left are compared letter by
   * letter.
   *
   * @returns undefined if the work is not afforded
   */
  nearTerms(form: string, edits: number, work: Work): readonly TermNumber[] | undefined {
    const { byGroup, letters, groupStarts } = this.#packed;
    this.#pager.need(groupStarts);
    const wanted = lettersOf(form);
    const near: TermNumber[] = [];
    const longest = (groupStarts.length - 1) / LETTER_GROUP_COUNT - 1;
    const lastLength = Math.min(form.length + edits, longest);
    for (let length = Math.max(0, form.length - edits); length <= lastLength; length++) {
      // An edit removes at most one letter and adds at most one. An edit that makes the word longer removes none, and
      // one that makes it shorter adds none.
      const mostRemoved = edits - Math.max(0, length - form.length);
      const mostAdded = edits - Math.max(0, form.length - length);
      for (let group = 0; group < LETTER_GROUP_COUNT; group++) {
        // A group says only which of the grouping letters its forms have.
        const groupLetters = LETTERS_OF_GROUP[group]!;
        if (hasMoreBits(wanted & GROUPING_LETTERS & ~groupLetters, mostRemoved)) continue;
        if (hasMoreBits(groupLetters & ~wanted, mostAdded)) continue;
        const key = length * LETTER_GROUP_COUNT + group;
        const [from, to] = [groupStarts[key]!, groupStarts[key + 1]!];
        if (!work.affords((to - from) * LETTERS_COST)) return undefined;
        this.#pager.need(letters, from, to);
        this.#pager.need(byGroup, from, to);
        for (let i = from; i < to; i++) {
          const formLetters = letters[i]!;
          if (hasMoreBits(wanted & ~formLetters, mostRemoved) || hasMoreBits(formLetters & ~wanted, mostAdded))
            continue;
          near.push(byGroup[i]!);
        }
      }
    }
    if (!work.affords(near.length * COMPARISON_COST)) return undefined;
    return near.filter(this.#nearnessTo(form, edits));
  }

  /** A function that says whether the form of a term is near enough. Compares bytes if both forms are ASCII. */
  #nearnessTo(form: string, edits: number): (term: TermNumber) => boolean {
    const { bytes } = this.#packed.forms;
    const formBytes = Buffer.from(form);
    const formUnits = unitsOf(form);
    const isPlain = formBytes.length === form.length;
    return (term) => {
      const [from, to] = [this.#forms.startOf(term), this.#forms.endOf(term)];
      if (isPlain && isAscii(bytes, from, to)) return isWithinEdits(formBytes, bytes, from, to, edits);
      const units = unitsOf(this.#forms.at(term));
      return isWithinEdits(formUnits, units, 0, units.length, edits);
    };
  }
}

/** @param most 0, 1 or 2 */
function hasMoreBits(bits: number, most: number): boolean {
  const allButLowest = bits & (bits - 1);
  if (most === 1) return allButLowest !== 0;
  return most === 0 ? bits !== 0 : (allButLowest & (allButLowest - 1)) !== 0;
}

/** The numbers from one up to another. */
export function numbersIn(from: number, to: number): Uint32Array {
  const numbers = new Uint32Array(to - from);
  for (let i = 0; i < numbers.length; i++) numbers[i] = from + i;
  return numbers;
}

/** A range of strings: the first, and the one behind the last. */
type StringRange = readonly [from: number, to: number];

/** Looks strings up that are sorted by code points. A string may occur several times. */
export class StringTable {
  readonly size: number;
  readonly #strings: PackedStrings;
  readonly #bytes: Buffer;
  readonly #pager: Pager;

  /** @param strings in the order of their bytes */
  constructor(strings: PackedStrings, pager: Pager) {
    const { bytes, starts } = strings;
    this.#strings = strings;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pager = pager;
    this.size = starts.length - 1;
  }

  at(i: number): string {
    return this.#bytes.toString('utf8', this.startOf(i), this.endOf(i));
  }

  /** Where a string begins in the bytes. Reads the bytes of the string if they are still in the file. */
  startOf(i: number): number {
    const { bytes, starts } = this.#strings;
    this.#pager.need(starts, i, i + 2);
    const start = starts[i]!;
    this.#pager.need(bytes, start, starts[i + 1]);
    return start;
  }

  /** Where a string ends in the bytes. Call {@link startOf} first. */
  endOf(i: number): number {
    return this.#strings.starts[i + 1]!;
  }

  /** The strings that equal a text. */
  rangeOf(text: string): StringRange {
    const wanted = Buffer.from(text);
    const from = lowerBoundBy(this.size, (i) => this.#compare(i, wanted) < 0);
    let to = from;
    while (to < this.size && this.#compare(to, wanted) === 0) to += 1;
    return [from, to];
  }

  /** The strings that begin with a prefix. */
  rangeOfPrefix(prefix: string): StringRange {
    const wanted = Buffer.from(prefix);
    const compareBeginning = (i: number): number => {
      const start = this.startOf(i);
      const end = Math.min(this.endOf(i), start + wanted.length);
      return this.#bytes.compare(wanted, 0, wanted.length, start, end);
    };
    return [
      lowerBoundBy(this.size, (i) => compareBeginning(i) < 0),
      lowerBoundBy(this.size, (i) => compareBeginning(i) <= 0),
    ];
  }

  #compare(i: number, wanted: Buffer): number {
    return this.#bytes.compare(wanted, 0, wanted.length, this.startOf(i), this.endOf(i));
  }
}

/**
 * The letters of a form as a set of 32 bits: one bit for each of `a` to `z`; all other characters share the last six.
 */
export function lettersOf(form: string): number {
  let letters = 0;
  for (let i = 0; i < form.length; i++) letters |= bitOf(form.charCodeAt(i));
  return letters >>> 0;
}

function bitOf(unit: number): number {
  return 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6));
}

/**
 * The letters that decide which of the 256 letter groups a form belongs to: bit `i` of the group stands for letter `i`.
 */
const GROUPING = 'etaoinsr';

/** Number of letter groups. */
export const LETTER_GROUP_COUNT: number = 2 ** GROUPING.length;

/** For each letter group, the grouping letters that its forms have, as a set like that of {@link lettersOf}. */
const LETTERS_OF_GROUP: Uint32Array = Uint32Array.from({ length: LETTER_GROUP_COUNT }, (_, group) =>
  lettersOf([...GROUPING].filter((__, i) => ((group >> i) & 1) === 1).join('')),
);

/** All grouping letters, as a set like that of {@link lettersOf}. */
const GROUPING_LETTERS: number = lettersOf(GROUPING);

/** The letter group of a form with these letters. */
export function letterGroupOf(letters: number): number {
  let group = 0;
  for (let i = 0; i < GROUPING.length; i++) if ((letters & LETTERS_OF_GROUP[1 << i]!) !== 0) group |= 1 << i;
  return group;
}

/** Length of a row of the distance table. A word that does not fit counts as too far away; terms are much shorter. */
const ROW_LENGTH = 128;
const ROWS: readonly [Uint8Array, Uint8Array, Uint8Array] = [
  new Uint8Array(ROW_LENGTH),
  new Uint8Array(ROW_LENGTH),
  new Uint8Array(ROW_LENGTH),
];

/** Any distance above the greatest limit. */
const TOO_FAR = 3;

/** A word as ASCII letters, or as UTF-16 units. */
type Units = Uint8Array | Uint16Array;

/** The UTF-16 units of a word. */
export function unitsOf(word: string): Uint16Array {
  return Uint16Array.from({ length: word.length }, (_, i) => word.charCodeAt(i));
}

/**
 * Whether two words are at most `limit` edits apart by the optimal string alignment distance: the least number of
 * insertions, deletions, substitutions and swaps of two neighbours that turn one word into the other, where no unit is
 * edited twice. Fast for the many words of a catalogue, nearly all of which are too far away.
 *
 * @param word the first word
 * @param units hold the second word from `from` up to `to`
 * @param limit 1 or 2
 */
export function isWithinEdits(word: Units, units: Units, from: number, to: number, limit: number): boolean {
  let [wordStart, wordEnd, otherStart, otherEnd] = [0, word.length, from, to];
  // A common beginning or end needs no edit.
  while (wordStart < wordEnd && otherStart < otherEnd && word[wordStart] === units[otherStart]) {
    wordStart += 1;
    otherStart += 1;
  }
  while (wordStart < wordEnd && otherStart < otherEnd && word[wordEnd - 1] === units[otherEnd - 1]) {
    wordEnd -= 1;
    otherEnd -= 1;
  }
  const [wordLength, otherLength] = [wordEnd - wordStart, otherEnd - otherStart];
  if (wordLength === 0 || otherLength === 0) return Math.max(wordLength, otherLength) <= limit;
  if (wordLength === 1 && otherLength === 1) return true;
  const areTwoEach = wordLength === 2 && otherLength === 2;
  if (areTwoEach && word[wordStart] === units[otherStart + 1] && word[wordStart + 1] === units[otherStart]) return true;
  if (limit === 1) return false;
  return isWithinTwo(word, wordStart, wordLength, units, otherStart, otherLength);
}

/**
 * Computes the optimal string alignment distance row by row. Only the five cells around the diagonal can be 2 or less,
 * so only these are computed.
 */
function isWithinTwo(
  word: Units,
  wordStart: number,
  wordLength: number,
  units: Units,
  otherStart: number,
  otherLength: number,
): boolean {
  if (Math.abs(wordLength - otherLength) > 2 || otherLength + 3 > ROW_LENGTH) return false;
  let [secondLastRow, lastRow, row] = ROWS;
  for (let column = 0; column <= Math.min(otherLength, 3); column++) lastRow[column] = column;
  let leastOfLastRow = 0;
  for (let i = 1; i <= wordLength; i++) {
    const firstColumn = Math.max(1, i - 2);
    const lastColumn = Math.min(otherLength, i + 2);
    row[firstColumn - 1] = firstColumn === 1 ? i : TOO_FAR;
    let leastOfRow = row[firstColumn - 1]!;
    for (let j = firstColumn; j <= lastColumn; j++) {
      const isSame = word[wordStart + i - 1] === units[otherStart + j - 1];
      let distance = lastRow[j - 1]! + (isSame ? 0 : 1);
      const inserted = row[j - 1]! + 1;
      if (inserted < distance) distance = inserted;
      const deleted = j < i + 2 ? lastRow[j]! + 1 : TOO_FAR;
      if (deleted < distance) distance = deleted;
      if (
        i > 1 &&
        j > 1 &&
        word[wordStart + i - 1] === units[otherStart + j - 2] &&
        word[wordStart + i - 2] === units[otherStart + j - 1]
      ) {
        const swapped = secondLastRow[j - 2]! + 1;
        if (swapped < distance) distance = swapped;
      }
      row[j] = distance;
      if (distance < leastOfRow) leastOfRow = distance;
    }
    // A swap reaches back two rows.
    if (leastOfRow > 2 && leastOfLastRow > 2) return false;
    leastOfLastRow = leastOfRow;
    [secondLastRow, lastRow, row] = [lastRow, row, secondLastRow];
  }
  return lastRow[otherLength]! <= 2;
}
