import { GrowingUint32 } from '../../../arrays/growing-array.js';
import type { PackedStrings } from '../packed-strings.js';
import { compareBytes } from '../packed-strings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { DROPPED } from './dropped.js';
import { packLetterGroups } from './pack-letter-groups.js';

/**
 * One dictionary of several, by going through all of them side by side.
 *
 * @param kept of each dictionary one byte a term, 0 where it is left out; undefined where none is
 * @returns the dictionary, and by dictionary the number that each term gets, {@link DROPPED} where it is left out
 */
export function mergeDictionaries(
  dictionaries: readonly PackedDictionary[],
  kept: readonly (Uint8Array | undefined)[],
): { dictionary: PackedDictionary; numbersOf: Uint32Array[] } {
  const cursors = dictionaries.map((dictionary, i) => new TermCursor(dictionary, kept[i]));
  const forms = new StringsWriter(dictionaries.map((dictionary) => dictionary.forms));
  const accented = new StringsWriter(dictionaries.map((dictionary) => dictionary.accented));
  const accentedNumbers = new GrowingUint32();
  for (let number = 0; ; number++) {
    const lowest = lowestOf(cursors, compareTerms);
    const [first] = lowest;
    if (first === undefined) break;
    forms.add(first.dictionary.forms, first.term);
    if (first.isAccented) {
      accented.add(first.strings, first.place);
      accentedNumbers.push(number);
    }
    for (const cursor of lowest) cursor.take(number);
  }
  const packedForms = forms.pack();
  const numbersOf = cursors.map((cursor) => cursor.numberOf);
  const dictionary = {
    forms: packedForms,
    accented: accented.pack(),
    accentedNumbers: accentedNumbers.values.slice(),
    ...mergeStems(dictionaries, numbersOf),
    ...packLetterGroups(packedForms),
  };
  return { dictionary, numbersOf };
}

interface Cursor {
  readonly done: boolean;
}

/** The cursors that are at the lowest of what comes next; none where all are done. */
function lowestOf<C extends Cursor>(cursors: readonly C[], compare: (a: C, b: C) => number): C[] {
  const lowest: C[] = [];
  for (let i = 0; i < cursors.length; i++) {
    const cursor = cursors[i] as C;
    if (cursor.done) continue;
    const order = lowest.length === 0 ? 0 : compare(cursor, lowest[0] as C);
    if (order < 0) lowest.length = 0;
    if (order <= 0) lowest.push(cursor);
  }
  return lowest;
}

/** Goes through the terms of a dictionary that are kept. */
class TermCursor implements Cursor {
  readonly dictionary: PackedDictionary;
  /** The term, by its number here. */
  term = -1;
  readonly numberOf: Uint32Array;
  readonly #kept: Uint8Array | undefined;
  #accent = 0;

  constructor(dictionary: PackedDictionary, kept: Uint8Array | undefined) {
    this.dictionary = dictionary;
    this.#kept = kept;
    this.numberOf = new Uint32Array(dictionary.forms.starts.length - 1).fill(DROPPED);
    this.#advance();
  }

  get done(): boolean {
    return this.term === this.numberOf.length;
  }

  get isAccented(): boolean {
    return this.dictionary.accentedNumbers[this.#accent] === this.term;
  }

  /** Where the term itself stands. */
  get strings(): PackedStrings {
    return this.isAccented ? this.dictionary.accented : this.dictionary.forms;
  }

  get place(): number {
    return this.isAccented ? this.#accent : this.term;
  }

  /** Gives the term its new number, and goes on. */
  take(number: number): void {
    this.numberOf[this.term] = number;
    this.#advance();
  }

  #advance(): void {
    const { accentedNumbers } = this.dictionary;
    do {
      this.term += 1;
    } while (this.#kept !== undefined && this.#kept[this.term] === 0);
    while (accentedNumbers[this.#accent]! < this.term) this.#accent += 1;
  }
}

function compareTerms(a: TermCursor, b: TermCursor): number {
  return (
    compareBytes(a.dictionary.forms, a.term, b.dictionary.forms, b.term) ||
    compareBytes(a.strings, a.place, b.strings, b.place)
  );
}

/** Goes through the stems of a dictionary. */
class StemCursor implements Cursor {
  readonly dictionary: PackedDictionary;
  readonly numberOf: Uint32Array;
  stem = 0;

  constructor(dictionary: PackedDictionary, numberOf: Uint32Array) {
    this.dictionary = dictionary;
    this.numberOf = numberOf;
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
  numbersOf: readonly Uint32Array[],
): Pick<PackedDictionary, 'stems' | 'stemStarts' | 'stemTerms'> {
  const cursors = dictionaries.map((dictionary, i) => new StemCursor(dictionary, numbersOf[i]!));
  const stems = new StringsWriter(dictionaries.map((dictionary) => dictionary.stems));
  const stemStarts = new GrowingUint32();
  const stemTerms = new GrowingUint32();
  stemStarts.push(0);
  const terms: number[] = [];
  for (;;) {
    const lowest = lowestOf(cursors, compareStems);
    const [first] = lowest;
    if (first === undefined) break;
    terms.length = 0;
    for (const { dictionary, numberOf, stem } of lowest) {
      const end = dictionary.stemStarts[stem + 1]!;
      for (let i = dictionary.stemStarts[stem]!; i < end; i++) {
        const number = numberOf[dictionary.stemTerms[i]!]!;
        if (number !== DROPPED) terms.push(number);
      }
    }
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

/** Puts strings one behind the other that come from others. */
class StringsWriter {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  #size = 0;
  #end = 0;

  /** @param sources none of theirs comes twice */
  constructor(sources: readonly PackedStrings[]) {
    this.#bytes = new Uint8Array(sources.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.#starts = new Uint32Array(sources.reduce((sum, { starts }) => sum + starts.length, 1));
  }

  add({ bytes, starts }: PackedStrings, i: number): void {
    const end = starts[i + 1]!;
    for (let at = starts[i]!; at < end; at++) this.#bytes[this.#end++] = bytes[at]!;
    this.#starts[++this.#size] = this.#end;
  }

  pack(): PackedStrings {
    return { bytes: this.#bytes.slice(0, this.#end), starts: this.#starts.slice(0, this.#size + 1) };
  }
}
