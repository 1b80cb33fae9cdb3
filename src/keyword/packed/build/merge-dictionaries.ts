import type { TermNumber } from '../../../core/index.js';
import { GrowingUint32 } from '../../../core/index.js';
import { compareBytes, type PackedStrings } from '../packed-strings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { DROPPED } from './dropped.js';
import { packLetterGroups } from './pack-letter-groups.js';
import { StringsWriter } from './strings-writer.js';

/**
 * Merges dictionaries. Reads all of them side by side.
 *
 * @param kept for each dictionary one byte a term, 0 if it is left out; undefined if none is
 * @returns the dictionary, and for each of the given ones the new number of each term, {@link DROPPED} if it is left
 *   out
 */
export function mergeDictionaries(
  dictionaries: readonly PackedDictionary[],
  kept: readonly (Uint8Array | undefined)[],
): { dictionary: PackedDictionary; termsOf: Uint32Array[] } {
  const cursors = dictionaries.map((dictionary, i) => new TermCursor(dictionary, kept[i]));
  const forms = new StringsWriter(dictionaries.map((dictionary) => dictionary.forms));
  const accented = new StringsWriter(dictionaries.map((dictionary) => dictionary.accented));
  const accentedNumbers = new GrowingUint32();
  for (let term: TermNumber = 0; ; term++) {
    const lowest = lowestOf(cursors, compareTerms);
    const [first] = lowest;
    if (first === undefined) break;
    forms.add(first.dictionary.forms, first.term);
    if (first.isAccented) {
      accented.add(first.strings, first.index);
      accentedNumbers.push(term);
    }
    for (const cursor of lowest) cursor.take(term);
  }
  const packedForms = forms.pack();
  const termsOf = cursors.map((cursor) => cursor.termOf);
  const dictionary = {
    forms: packedForms,
    accented: accented.pack(),
    accentedNumbers: accentedNumbers.values.slice(),
    ...mergeStems(dictionaries, termsOf),
    ...packLetterGroups(packedForms),
  };
  return { dictionary, termsOf };
}

interface Cursor {
  readonly done: boolean;
}

/** The cursors whose current string is the lowest of all; none if all cursors are done. */
function lowestOf<C extends Cursor>(cursors: readonly C[], compare: (a: C, b: C) => number): C[] {
  const lowest: C[] = [];
  for (let i = 0; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    if (cursor.done) continue;
    const order = lowest.length === 0 ? 0 : compare(cursor, lowest[0]!);
    if (order < 0) lowest.length = 0;
    if (order <= 0) lowest.push(cursor);
  }
  return lowest;
}

/** Reads the terms of a dictionary that are kept. */
class TermCursor implements Cursor {
  readonly dictionary: PackedDictionary;
  /** The current term, by its former number. */
  term: TermNumber = -1;
  /** New number of each term taken so far. */
  readonly termOf: Uint32Array;
  readonly #kept: Uint8Array | undefined;
  /** Index of the first accented term that is not before the current term. */
  #accented = 0;

  constructor(dictionary: PackedDictionary, kept: Uint8Array | undefined) {
    this.dictionary = dictionary;
    this.#kept = kept;
    this.termOf = new Uint32Array(dictionary.forms.starts.length - 1).fill(DROPPED);
    this.#advance();
  }

  get done(): boolean {
    return this.term === this.termOf.length;
  }

  get isAccented(): boolean {
    return this.dictionary.accentedNumbers[this.#accented] === this.term;
  }

  /** The strings that have the current term at {@link index}. */
  get strings(): PackedStrings {
    return this.isAccented ? this.dictionary.accented : this.dictionary.forms;
  }

  get index(): number {
    return this.isAccented ? this.#accented : this.term;
  }

  /** Gives the current term its new number, and goes to the next one. */
  take(newTerm: TermNumber): void {
    this.termOf[this.term] = newTerm;
    this.#advance();
  }

  #advance(): void {
    const { accentedNumbers } = this.dictionary;
    do {
      this.term += 1;
    } while (this.#kept !== undefined && this.#kept[this.term] === 0);
    while (accentedNumbers[this.#accented]! < this.term) this.#accented += 1;
  }
}

function compareTerms(a: TermCursor, b: TermCursor): number {
  return (
    compareBytes(a.dictionary.forms, a.term, b.dictionary.forms, b.term) ||
    compareBytes(a.strings, a.index, b.strings, b.index)
  );
}

/** Reads the stems of a dictionary. */
class StemCursor implements Cursor {
  readonly dictionary: PackedDictionary;
  /** New number of each term. */
  readonly termOf: Uint32Array;
  stem = 0;

  constructor(dictionary: PackedDictionary, termOf: Uint32Array) {
    this.dictionary = dictionary;
    this.termOf = termOf;
  }

  get done(): boolean {
    return this.stem + 1 === this.dictionary.stems.starts.length;
  }
}

function compareStems(a: StemCursor, b: StemCursor): number {
  return compareBytes(a.dictionary.stems, a.stem, b.dictionary.stems, b.stem);
}

function mergeStems(
  dictionaries: readonly PackedDictionary[],
  termsOf: readonly Uint32Array[],
): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const cursors = dictionaries.map((dictionary, i) => new StemCursor(dictionary, termsOf[i]!));
  const stems = new StringsWriter(dictionaries.map((dictionary) => dictionary.stems));
  const stemStarts = new GrowingUint32();
  const stemTerms = new GrowingUint32();
  stemStarts.push(0);
  const terms: TermNumber[] = [];
  for (;;) {
    const lowest = lowestOf(cursors, compareStems);
    const [first] = lowest;
    if (first === undefined) break;
    terms.length = 0;
    for (const { dictionary, termOf, stem } of lowest) {
      const end = dictionary.stemStarts[stem + 1]!;
      for (let i = dictionary.stemStarts[stem]!; i < end; i++) {
        const term = termOf[dictionary.stemTerms[i]!]!;
        if (term !== DROPPED) terms.push(term);
      }
    }
    // A stem whose terms are all left out is left out, too.
    if (terms.length > 0) {
      if (lowest.length > 1) terms.sort((a, b) => a - b);
      for (let i = 0; i < terms.length; i++) if (terms[i] !== terms[i - 1]) stemTerms.push(terms[i]!);
      stems.add(first.dictionary.stems, first.stem);
      stemStarts.push(stemTerms.length);
    }
    for (const cursor of lowest) cursor.stem += 1;
  }
  return { stems: stems.pack(), stemStarts: stemStarts.values.slice(), stemTerms: stemTerms.values.slice() };
}
