import { foldAccents, isUnspacedTerm } from '../characters.js';
import { editDistance } from '../edit-distance.js';
import { stemOf } from '../stem.js';
import type { Lookup } from '../step-plan.js';
import { countBits } from './count-bits.js';
import { lettersOf } from './letters.js';
import { type PackedStrings, StringTable } from './string-table.js';

/** The arrays of a {@link TermDictionary}. */
export interface PackedDictionary {
  /** The form of each term: without its accents. Terms are numbered in the order of their forms, then of themselves. */
  readonly forms: PackedStrings;
  /** The terms that are not their form, and their numbers, ascending. */
  readonly accented: PackedStrings;
  readonly accentedNumbers: Uint32Array;
  /** The stems, without those of texts without spaces; where the terms of each begin in `stemTerms`. */
  readonly stems: PackedStrings;
  readonly stemStarts: Uint32Array;
  readonly stemTerms: Uint32Array;
  /** Numbers of terms by the length of their form: which stand where, see `lengthStarts`; texts without spaces left out. */
  readonly byLength: Uint32Array;
  /** Beside each of `byLength` which letters the form has, see {@link lettersOf}. */
  readonly letters: Uint32Array;
  /** Where the forms of each length begin in `byLength`. */
  readonly lengthStarts: Uint32Array;
}

/** All terms of a catalogue, numbered from 0; found by stem, by beginning and by edits. */
export class TermDictionary {
  readonly size: number;
  readonly #packed: PackedDictionary;
  readonly #forms: StringTable;
  readonly #stems: StringTable;
  readonly #accented = new Map<number, string>();

  constructor(packed: PackedDictionary) {
    this.#packed = packed;
    this.#forms = new StringTable(packed.forms.bytes, packed.forms.starts);
    this.#stems = new StringTable(packed.stems.bytes, packed.stems.starts);
    const accented = new StringTable(packed.accented.bytes, packed.accented.starts);
    packed.accentedNumbers.forEach((number, i) => {
      this.#accented.set(number, accented.at(i));
    });
    this.size = this.#forms.size;
  }

  termAt(number: number): string {
    return this.#accented.get(number) ?? this.#forms.at(number);
  }

  /** The number of a term, or -1. */
  numberOf(term: string): number {
    const form = foldAccents(term);
    const [from, to] = this.#forms.range(form);
    for (let number = from; number < to; number++) {
      if ((this.#accented.get(number) ?? form) === term) return number;
    }
    return -1;
  }

  /** The numbers of the terms that answer a lookup, each once. */
  find(lookup: Lookup): readonly number[] {
    switch (lookup.kind) {
      case 'stem':
        return this.#sameStem(lookup.term);
      case 'character':
      case 'prefix':
        return numbersOf(this.#forms.rangeOfPrefix(foldAccents(lookup.term)));
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits);
    }
  }

  #sameStem(term: string): readonly number[] {
    if (isUnspacedTerm(term)) {
      const number = this.numberOf(term);
      return number === -1 ? [] : [number];
    }
    const [stem, end] = this.#stems.range(stemOf(term));
    if (stem === end) return [];
    const { stemStarts, stemTerms } = this.#packed;
    return Array.from(stemTerms.subarray(stemStarts[stem] as number, stemStarts[stem + 1] as number));
  }

  /**
   * Goes through all forms of a length that is near enough, by which letters they have: an edit changes at most two of
   * those. What is left, some in a thousand, is compared letter by letter.
   */
  #withinEdits(form: string, edits: number): number[] {
    const { byLength, letters, lengthStarts } = this.#packed;
    const asked = lettersOf(form);
    const found = new Set<number>();
    const longest = lengthStarts.length - 2;
    const from = lengthStarts[Math.min(longest + 1, Math.max(0, form.length - edits))] as number;
    const to = lengthStarts[Math.min(longest, form.length + edits) + 1] as number;
    for (let i = from; i < to; i++) {
      if (countBits((letters[i] as number) ^ asked) > 2 * edits) continue;
      const candidate = this.#forms.at(byLength[i] as number);
      if (editDistance(form, candidate, edits) > edits) continue;
      for (const number of this.#sameStem(candidate)) found.add(number);
    }
    return [...found];
  }
}

function numbersOf([from, to]: readonly [from: number, to: number]): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
