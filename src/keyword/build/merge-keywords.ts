import { type DocumentNumber, GrowingUint32, type TermNumber } from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { compareBytes, GONE, type NameTable, type PackedKeywords, type PackedStrings } from '../packed-keywords.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { packLengths } from './collect-keywords.js';
import { mergePostings } from './merge-postings.js';
import { packLetterGroups } from './pack-dictionary.js';
import { mergeNames, mergeNameTables, packTerms } from './pack-names.js';

/** Documents that go into another index. */
export interface KeywordPart {
  readonly keywords: PackedKeywords;
  /** New number of each document: ascending, {@link GONE} for one that is left out. */
  readonly documentOf: Uint32Array;
}

/**
 * Merges indexes: those of several parts of a catalogue, or a former index and one of what has changed. The result
 * equals that of collecting all documents at once, but nothing is tokenised, sorted or stemmed again.
 *
 * @param size number of documents; each comes from one part
 */
export function mergeKeywords(size: number, parts: readonly KeywordPart[]): PackedKeywords {
  const kept = parts.map(keptTerms);
  const { dictionary, termsOf } = mergeDictionaries(
    parts.map(({ keywords }) => keywords.dictionary),
    kept,
  );
  const postings = mergePostings(
    parts.map(({ keywords, documentOf }, i) => ({ postings: keywords.postings, documentOf, termOf: termsOf[i]! })),
    dictionary.forms.starts.length - 1,
  );
  const merged = (table: 'names' | 'beginnings'): NameTable =>
    mergeNameTables(
      size,
      parts.map(({ keywords, documentOf }) => ({ table: keywords[table], documentOf })),
    );
  return {
    size,
    dictionary,
    postings,
    ...packLengths(mergeLengths(size, parts)),
    names: merged('names'),
    beginnings: merged('beginnings'),
    completions: {
      ...packTerms(dictionary, postings),
      ...mergeNames(
        size,
        parts.map(({ keywords: { completions }, documentOf }) => ({ completions, documentOf })),
      ),
    },
    contentHashes: new Uint32Array(),
  };
}

function mergeLengths(size: number, parts: readonly KeywordPart[]): Uint32Array {
  const lengths = new Uint32Array(size * SCORED_FIELDS.length);
  for (const { keywords, documentOf } of parts) {
    for (let field = 0; field < SCORED_FIELDS.length; field++) {
      const [from, to] = [field * keywords.size, field * size];
      for (let former = 0; former < documentOf.length; former++) {
        const document = documentOf[former]!;
        if (document !== GONE) lengths[to + document] = keywords.lengths[from + former]!;
      }
    }
  }
  return lengths;
}

/** One byte a term: 0 if all documents that have it are left out. Undefined if no document is left out. */
function keptTerms({ keywords, documentOf }: KeywordPart): Uint8Array | undefined {
  if (!documentOf.includes(GONE)) return undefined;
  const { listStarts, entryStarts, documents } = keywords.postings;
  const kept = new Uint8Array(listStarts.length - 1);
  for (let term = 0; term < kept.length; term++) {
    const end = entryStarts[listStarts[term + 1]!]!;
    for (let entry = entryStarts[listStarts[term]!]!; entry < end; entry++) {
      if (documentOf[documents[entry]!] === GONE) continue;
      kept[term] = 1;
      break;
    }
  }
  return kept;
}

/**
 * Merges dictionaries. Reads all of them side by side.
 *
 * @param kept for each dictionary one byte a term, 0 if it is left out; undefined if none is
 * @returns the dictionary, and for each of the given ones the new number of each term, {@link GONE} if it is left
 *   out
 */
function mergeDictionaries(
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
    this.termOf = new Uint32Array(dictionary.forms.starts.length - 1).fill(GONE);
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
        if (term !== GONE) terms.push(term);
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

/** Collects strings of other {@link PackedStrings}. */
class StringsWriter {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  #size = 0;
  #end = 0;

  /** @param sources all strings added come from these, each at most once */
  constructor(sources: readonly PackedStrings[]) {
    this.#bytes = new Uint8Array(sources.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.#starts = new Uint32Array(sources.reduce((sum, { starts }) => sum + starts.length, 1));
  }

  /** Adds the `i`-th of some strings. */
  add({ bytes, starts }: PackedStrings, i: number): void {
    const end = starts[i + 1]!;
    for (let at = starts[i]!; at < end; at++) this.#bytes[this.#end++] = bytes[at]!;
    this.#starts[++this.#size] = this.#end;
  }

  pack(): PackedStrings {
    return { bytes: this.#bytes.slice(0, this.#end), starts: this.#starts.slice(0, this.#size + 1) };
  }
}

/**
 * Slots that are looked at for one document. With hashes of real contents a dozen is many. A file that was made up may
 * have a hash as often as there are documents: without an end, each would be compared with all.
 */
const MOST_PROBES = 1000;

/**
 * Finds the documents of a former state that have not changed. Documents are sorted in the same way in both states, so
 * nearly always the unchanged ones are in the same order. One that is not counts as changed.
 *
 * @param former a hash of the content of each document of the former state: two 32-bit numbers
 * @param present the same of the present state
 * @returns the present number of each former document, ascending; {@link GONE} if it is gone or changed
 */
export function unchangedDocuments(former: Uint32Array, present: Uint32Array): Uint32Array {
  const size = former.length / 2;
  const documentOf = new Uint32Array(size).fill(GONE);
  // A hash table with linear probing: in each slot the former number + 1, or 0 if it is free.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const mask = slots.length - 1;
  for (let document = 0; document < size; document++) {
    let slot = former[2 * document]! & mask;
    let left = MOST_PROBES;
    while (slots[slot] !== 0 && --left > 0) slot = (slot + 1) & mask;
    if (left > 0) slots[slot] = document + 1;
  }
  const find = (first: number, second: number): DocumentNumber => {
    let left = MOST_PROBES;
    for (let slot = first & mask; slots[slot] !== 0 && left > 0; slot = (slot + 1) & mask, left--) {
      const document = slots[slot]! - 1;
      if (former[2 * document] === first && former[2 * document + 1] === second) return document;
    }
    return -1;
  };
  let last = -1;
  for (let document = 0; 2 * document < present.length; document++) {
    const before = find(present[2 * document]!, present[2 * document + 1]!);
    if (before <= last) continue;
    documentOf[before] = document;
    last = before;
  }
  return documentOf;
}
