import type { Pager, TermNumber } from '../../core/index.js';
import { compareCodePoints, foldAccents, isUnspacedTerm, lowerBound, stemOf } from '../../core/index.js';
import { RecentlyUsed } from '../recently-used.js';
import { editDistance } from '../steps/edit-distance.js';
import type { Lookup } from '../steps/lookup.js';
import { Work } from '../work.js';
import { GROUPING_LETTERS, LETTER_GROUP_COUNT, LETTERS_OF_GROUP, lettersOf } from './letters.js';
import { isAscii, type PackedStrings } from './packed-strings.js';
import { StringTable } from './string-table.js';
import type { TermSource } from './term-source.js';
import { isWithinEdits } from './within-edits.js';

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

/** Number of words whose terms are remembered, and number of their terms in all, four bytes each. */
const WORDS_REMEMBERED = 20_000;
const TERMS_REMEMBERED = 500_000;

/** Looking a word up costs as much as reading this many postings. */
export const LOOKUP_COST = 800;

/** The same for each term of a range. */
export const TERM_COST = 8;

/** The same for comparing the letters of a form, and for comparing a form letter by letter. */
const LETTERS_COST = 1;
const COMPARISON_COST = 40;

/** All terms of a catalogue. Finds them by stem, by prefix and by edit distance. */
export class TermDictionary implements TermSource {
  readonly size: number;
  readonly #packed: PackedDictionary;
  readonly #forms: StringTable;
  readonly #stems: StringTable;
  readonly #accented: StringTable;
  readonly #pager: Pager;
  /** The terms of recent words. A question of many words looks each word up in every step. */
  readonly #termsOfWord = new RecentlyUsed<readonly TermNumber[]>(
    WORDS_REMEMBERED,
    TERMS_REMEMBERED,
    ({ length }) => length,
  );

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

  /** The number of a term; -1 if the catalogue does not have it. */
  numberOf(text: string): TermNumber {
    const place = this.placeOf(text);
    return place < this.size && this.termAt(place) === text ? place : -1;
  }

  /** The number of the first term that is not before a text in the order of terms. */
  placeOf(text: string): TermNumber {
    const [from, to] = this.#forms.rangeOf(foldAccents(text));
    for (let term = from; term < to; term++) {
      if (compareCodePoints(this.termAt(term), text) >= 0) return term;
    }
    return to;
  }

  /** The terms whose forms begin with that of a text: the first, and the one behind the last. */
  rangeOfPrefix(text: string): readonly [from: TermNumber, to: TermNumber] {
    return this.#forms.rangeOfPrefix(foldAccents(text));
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    switch (lookup.kind) {
      case 'stem':
        return this.#termsOfWord.get(lookup.term, () => this.withSameStem(lookup.term));
      case 'character':
      case 'prefix': {
        const [from, to] = this.rangeOfPrefix(lookup.term);
        return work.affords((to - from) * TERM_COST) ? termsIn(from, to) : undefined;
      }
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits, work);
    }
  }

  occurs(lookup: Lookup, work: Work): boolean {
    return (this.find(lookup, work) ?? []).length > 0;
  }

  isAccented(term: TermNumber): boolean {
    const { accentedNumbers } = this.#packed;
    this.#pager.need(accentedNumbers);
    return accentedNumbers[lowerBound(accentedNumbers, term)] === term;
  }

  /** The terms with the stem of a text; those of its form for a text without spaces. Ascending. */
  withSameStem(text: string): readonly TermNumber[] {
    if (isUnspacedTerm(text)) return termsIn(...this.#forms.rangeOf(foldAccents(text)));
    const [stem, end] = this.#stems.rangeOf(stemOf(text));
    if (stem === end) return [];
    const { stemStarts, stemTerms } = this.#packed;
    this.#pager.need(stemStarts, stem, stem + 2);
    this.#pager.need(stemTerms, stemStarts[stem], stemStarts[stem + 1]);
    return Array.from(stemTerms.subarray(stemStarts[stem]!, stemStarts[stem + 1]!));
  }

  /** @returns undefined if the work is not afforded */
  #withinEdits(form: string, edits: number, work: Work): readonly TermNumber[] | undefined {
    const near = this.nearTerms(form, edits, work);
    if (near === undefined) return undefined;
    const found = new Set<TermNumber>();
    for (const term of near) {
      if (!work.affords(LOOKUP_COST)) return undefined;
      for (const sameStem of this.withSameStem(this.formAt(term))) found.add(sameStem);
    }
    return [...found];
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
    const isPlain = formBytes.length === form.length;
    return (term) => {
      const [from, to] = [this.#forms.startOf(term), this.#forms.endOf(term)];
      if (isPlain && isAscii(bytes, from, to)) return isWithinEdits(formBytes, bytes, from, to, edits);
      return editDistance(form, this.#forms.at(term), edits) <= edits;
    };
  }
}

/** @param most 0, 1 or 2 */
function hasMoreBits(bits: number, most: number): boolean {
  const allButLowest = bits & (bits - 1);
  if (most === 1) return allButLowest !== 0;
  return most === 0 ? bits !== 0 : (allButLowest & (allButLowest - 1)) !== 0;
}

function termsIn(from: TermNumber, to: TermNumber): TermNumber[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
