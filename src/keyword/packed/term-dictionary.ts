import { lowerBound } from '../../arrays/lower-bound.js';
import type { Pager } from '../../arrays/paged-image.js';
import { foldAccents, isUnspacedTerm } from '../../text/characters.js';
import { stemOf } from '../../text/stem.js';
import { RecentlyUsed } from '../recently-used.js';
import { editDistance } from '../steps/edit-distance.js';
import type { Lookup } from '../steps/lookup.js';
import { GROUP_LETTERS, GROUPS, lettersOf } from './letters.js';
import { isAscii } from './packed-strings.js';
import { type PackedStrings, StringTable } from './string-table.js';
import { isWithinEdits } from './within-edits.js';

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
  /** Numbers of terms by the length of their form, then by its group of letters; texts without spaces left out. */
  readonly byGroup: Uint32Array;
  /** Beside each of `byGroup` which letters the form has, see {@link lettersOf}. */
  readonly letters: Uint32Array;
  /** Where the forms of each length and group begin in `byGroup`, at `length * 256 + group`; where the last end. */
  readonly groupStarts: Uint32Array;
}

/** Words to remember, and terms of them all together, four bytes each. */
const FOUND_KEPT = 20_000;
const FOUND_TERMS_KEPT = 500_000;

/** All terms of a catalogue, numbered from 0; found by stem, by beginning and by edits. */
export class TermDictionary {
  readonly size: number;
  readonly #packed: PackedDictionary;
  readonly #forms: StringTable;
  readonly #stems: StringTable;
  readonly #accented: StringTable;
  readonly #pager: Pager;
  /** The terms of words asked for last. A question of many words asks for each in every step. */
  readonly #found = new RecentlyUsed<readonly number[]>(FOUND_KEPT, FOUND_TERMS_KEPT, ({ length }) => length);

  constructor(packed: PackedDictionary, pager: Pager) {
    this.#packed = packed;
    this.#pager = pager;
    this.#forms = new StringTable(packed.forms, pager);
    this.#stems = new StringTable(packed.stems, pager);
    this.#accented = new StringTable(packed.accented, pager);
    this.size = this.#forms.size;
  }

  termAt(number: number): string {
    const { accentedNumbers } = this.#packed;
    this.#pager.need(accentedNumbers);
    const i = lowerBound(accentedNumbers, number);
    return accentedNumbers[i] === number ? this.#accented.at(i) : this.#forms.at(number);
  }

  /** The number of a term, or -1. */
  numberOf(term: string): number {
    const form = foldAccents(term);
    const [from, to] = this.#forms.range(form);
    for (let number = from; number < to; number++) {
      if (this.termAt(number) === term) return number;
    }
    return -1;
  }

  /** The numbers of the terms that answer a lookup, each once. */
  find(lookup: Lookup): readonly number[] {
    switch (lookup.kind) {
      case 'stem':
        return this.#found.get(lookup.term, () => this.#sameStem(lookup.term));
      case 'character':
      case 'prefix':
        return numbersOf(this.#forms.rangeOfPrefix(foldAccents(lookup.term)));
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits);
    }
  }

  #sameStem(term: string): readonly number[] {
    if (isUnspacedTerm(term)) return numbersOf(this.#forms.range(foldAccents(term)));
    const [stem, end] = this.#stems.range(stemOf(term));
    if (stem === end) return [];
    const { stemStarts, stemTerms } = this.#packed;
    this.#pager.need(stemStarts, stem, stem + 2);
    this.#pager.need(stemTerms, stemStarts[stem], stemStarts[stem + 1]);
    return Array.from(stemTerms.subarray(stemStarts[stem]!, stemStarts[stem + 1]!));
  }

  /**
   * Goes through the forms of a length that is near enough, by which letters they have: first by groups, of which one in
   * ten is left, then one by one. What is left of these, some in a thousand, is compared letter by letter.
   */
  #withinEdits(form: string, edits: number): number[] {
    const { byGroup, letters, groupStarts } = this.#packed;
    this.#pager.need(groupStarts);
    const asked = lettersOf(form);
    const isNear = this.#isNear(form, edits);
    const found = new Set<number>();
    const longest = Math.min(form.length + edits, (groupStarts.length - 1) / GROUPS.length - 1);
    for (let length = Math.max(0, form.length - edits); length <= longest; length++) {
      // An edit takes at most one letter away and brings at most one; one that makes a word longer takes none away.
      const taken = edits - Math.max(0, length - form.length);
      const brought = edits - Math.max(0, form.length - length);
      const isFar = (has: number, letter: number): boolean =>
        hasMoreBits(asked & letter & ~has, taken) || hasMoreBits(has & ~asked, brought);
      for (let group = 0; group < GROUPS.length; group++) {
        if (isFar(GROUPS[group]!, GROUP_LETTERS)) continue;
        const place = length * GROUPS.length + group;
        const [from, to] = [groupStarts[place]!, groupStarts[place + 1]!];
        this.#pager.need(letters, from, to);
        this.#pager.need(byGroup, from, to);
        for (let i = from; i < to; i++) {
          if (isFar(letters[i]!, ~0)) continue;
          const number = byGroup[i]!;
          if (!isNear(number)) continue;
          for (const same of this.#sameStem(this.#forms.at(number))) found.add(same);
        }
      }
    }
    return [...found];
  }

  /** Compares a form with others: by their bytes, where all of them are ASCII. */
  #isNear(form: string, edits: number): (number: number) => boolean {
    const { bytes } = this.#packed.forms;
    const word = Buffer.from(form);
    const plain = word.length === form.length;
    return (number) => {
      const [from, to] = [this.#forms.startOf(number), this.#forms.endOf(number)];
      if (plain && isAscii(bytes, from, to)) return isWithinEdits(word, bytes, from, to, edits);
      return editDistance(form, this.#forms.at(number), edits) <= edits;
    };
  }
}

/** @param most 0, 1 or 2 */
function hasMoreBits(bits: number, most: number): boolean {
  const butOne = bits & (bits - 1);
  if (most === 1) return butOne !== 0;
  return most === 0 ? bits !== 0 : (butOne & (butOne - 1)) !== 0;
}

function numbersOf([from, to]: readonly [from: number, to: number]): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
