import {
  ALL_IN_MEMORY,
  compareCodePoints,
  DamagedArrayFileError,
  type DocumentNumber,
  foldAccents,
  type Pager,
  type TermNumber,
} from '../core/index.js';
import { FILES } from './keyword-index.js';
import { GONE, type PackedKeywords, type PackedPostings } from './packed-keywords.js';
import type { Lookup } from './plan-steps.js';
import { type ListEntries, needFrequencies, needPositions, PostingList, storedList } from './posting-list.js';
import { RecentlyUsed } from './recently-used.js';
import { LOOKUP_COST, letterGroupOf, lettersOf, TERM_COST, TermDictionary } from './term-dictionary.js';
import { Work } from './work.js';

/** The terms of an index and their posting lists. A term that several segments have has several numbers, one in each. */
export interface IndexTerms {
  /**
   * The terms that match a lookup, each number once.
   *
   * @param work without it, nothing is left out
   * @returns undefined if the work is not afforded
   */
  find(lookup: Lookup, work?: Work): readonly TermNumber[] | undefined;
  /** Whether any document has a term that matches a lookup. False if the work is not afforded. */
  occurs(lookup: Lookup, work: Work): boolean;
  termAt(term: TermNumber): string;
  /** Whether a term has accents: it differs from its form. */
  isAccented(term: TermNumber): boolean;
  /**
   * The posting lists of a term. None of them is empty.
   *
   * @param lastField the last field that counts
   */
  listsOf(term: TermNumber, lastField: number): PostingList[];
  /**
   * Appends the posting lists of some terms. Those of a term are neighbours.
   *
   * @param lastField the last field that counts
   * @param termOf the term of each list is appended to it
   */
  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void;
  /** Reads the frequencies of some lists if they are still in the file. */
  needFrequencies(lists: readonly PostingList[]): void;
  /** Reads the positions, and the frequencies, of some lists if they are still in the file. */
  needPositions(lists: readonly PostingList[]): void;
}

/** Some of the documents of a catalogue, packed by themselves: all of them after a load, or what came later. */
export interface Segment {
  readonly keywords: PackedKeywords;
  /** Reads the parts of {@link keywords} that are needed. @default ALL_IN_MEMORY */
  readonly pager?: Pager;
  /**
   * For each document of the segment its number in the catalogue: ascending, {@link GONE} for one that is gone. Left out
   * for a segment that has all documents by their numbers.
   */
  readonly numbers?: Uint32Array | undefined;
}

/**
 * Opens segments. Reads nothing of their arrays.
 *
 * @param size number of documents of the catalogue, each of which is in one of the segments
 * @throws {DamagedArrayFileError} if the numbers of the segments are not those of the catalogue
 */
export function openSegments(segments: readonly Segment[], size: number): OpenSegment[] {
  checkNumbers(segments, size);
  const opened: OpenSegment[] = [];
  for (const segment of segments) opened.push(new OpenSegment(segment, opened.at(-1)?.behindTerm ?? 0));
  return opened;
}

/** The numbers may come from a file: whoever made it, they are indexes into arrays of the catalogue. */
function checkNumbers(segments: readonly Segment[], size: number): void {
  const [only] = segments;
  if (segments.length === 1 && only!.numbers === undefined && only!.keywords.size === size) return;
  const isTaken = new Uint8Array(size);
  let count = 0;
  for (const { keywords, numbers } of segments) {
    let least = 0;
    let wrong = numbers?.length === keywords.size ? 0 : 1;
    for (const number of numbers ?? []) {
      if (number === GONE) continue;
      if (number < least || number >= size || isTaken[number] === 1) wrong += 1;
      isTaken[number] = 1;
      least = number + 1;
      count += 1;
    }
    if (wrong > 0) throw new DamagedArrayFileError('a segment has impossible numbers of documents');
  }
  if (count !== size) throw new DamagedArrayFileError(`the segments have ${count} of ${size} documents`);
}

/**
 * A segment that is open. Its terms are numbered behind those of the segments before it.
 *
 * Lists have the numbers of the catalogue, and no documents that are gone. A segment that has other numbers than the
 * catalogue maps each list when it is first asked for, and keeps it: in arrays as large as those of the segment, of which
 * the system allocates a page when something is written there.
 */
export class OpenSegment {
  readonly keywords: PackedKeywords;
  readonly pager: Pager;
  readonly numbers: Uint32Array | undefined;
  /** Number of its first term among those of all segments. */
  readonly firstTerm: TermNumber;
  /** Behind the number of its last term. */
  readonly behindTerm: TermNumber;
  /** Its terms, by their numbers in the segment. */
  readonly dictionary: TermDictionary;
  /** Whether no document of the segment is gone. */
  readonly hasAll: boolean;
  readonly #postings: PackedPostings;
  /** For lists of which nothing is left out. Their frequencies are those that are stored. */
  readonly #whole: ListEntries;
  /** For lists that lost documents. What is left of one stands where it began; made for the first of them. */
  #shortened: (ListEntries & { readonly frequencies: Uint8Array }) | undefined;
  /** By list of a segment with other numbers: what is left of it, plus 1; 0 before it is mapped. */
  readonly #sizes: Uint32Array | undefined;
  /** By the first entry of a list: see the constructor of `PostingList`. */
  readonly #leftOut = new Map<number, Uint32Array>();
  /** The first entries of the lists whose frequencies stand in {@link #shortened}. */
  readonly #withFrequencies = new Set<number>();

  constructor({ keywords, pager = ALL_IN_MEMORY, numbers }: Segment, firstTerm: TermNumber) {
    const { postings } = keywords;
    this.keywords = keywords;
    this.pager = pager;
    this.numbers = numbers;
    this.firstTerm = firstTerm;
    this.dictionary = new TermDictionary(keywords.dictionary, pager);
    this.behindTerm = firstTerm + this.dictionary.size;
    this.hasAll = numbers?.includes(GONE) !== true;
    this.#postings = postings;
    const documents = numbers === undefined ? postings.documents : new Uint32Array(postings.documents.length);
    this.#whole = { documents, frequencies: postings.frequencies, stored: postings };
    this.#sizes = numbers === undefined ? undefined : new Uint32Array(postings.listFields.length);
  }

  /** The number of a document in the catalogue, or {@link GONE}. */
  numberOf(document: DocumentNumber): number {
    return this.numbers === undefined ? document : this.numbers[document]!;
  }

  /** The posting lists of a term of the segment. */
  listsOf(term: TermNumber, lastField: number): PostingList[] {
    const lists: PostingList[] = [];
    this.addLists([this.firstTerm + term], lastField, lists, []);
    return lists;
  }

  /** See {@link IndexTerms.addLists}; terms of other segments are passed over. */
  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void {
    this.#needAll(terms, lastField);
    for (let t = 0; t < terms.length; t++) {
      const term = terms[t]!;
      if (!this.#has(term)) continue;
      const first = lists.length;
      this.#addListsOf(term - this.firstTerm, lastField, lists);
      for (let l = first; l < lists.length; l++) termOf.push(term);
    }
  }

  /** Whether any document that is left has a term of the segment. */
  hasDocument(term: TermNumber): boolean {
    return this.hasAll || this.listsOf(term, FILES).length > 0;
  }

  /** @param lists all of this segment */
  needFrequencies(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needFrequencies(this.#postings, from, to, this.pager);
    this.#takeFrequencies(lists);
  }

  /** @param lists all of this segment */
  needPositions(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needPositions(this.#postings, from, to, this.pager);
    this.#takeFrequencies(lists);
  }

  #has(term: TermNumber): boolean {
    return term >= this.firstTerm && term < this.behindTerm;
  }

  #addListsOf(term: TermNumber, lastField: number, lists: PostingList[]): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    const from = listStarts[term]!;
    const end = listStarts[term + 1]!;
    let to = from;
    while (to < end && listFields[to]! <= lastField) to += 1;
    if (lastField !== FILES) this.pager.need(documents, entryStarts[from]!, entryStarts[to]!);
    for (let list = from; list < to; list++) {
      const made = this.#sizes === undefined ? storedList(this.#whole, list) : this.#mappedList(list, this.#sizes);
      if (made.size > 0) lists.push(made);
    }
  }

  /** Reads what the lists of some terms need, for runs of neighbouring terms at once. */
  #needAll(terms: readonly TermNumber[], lastField: number): void {
    for (let t = 0; t < terms.length; ) {
      const from = terms[t++]!;
      if (!this.#has(from)) continue;
      let to = from + 1;
      for (; t < terms.length && terms[t] === to && to < this.behindTerm; t++) to += 1;
      this.#need(from - this.firstTerm, to - this.firstTerm, lastField);
    }
  }

  /** Reads bounds and fields of the lists of the terms between two numbers, and their documents if all fields count. */
  #need(from: TermNumber, to: TermNumber, lastField: number): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    this.pager.need(listStarts, from, to + 1);
    const [first, behind] = [listStarts[from]!, listStarts[to]!];
    this.pager.need(listFields, first, behind);
    this.pager.need(entryStarts, first, behind + 1);
    if (lastField === FILES) this.pager.need(documents, entryStarts[first]!, entryStarts[behind]!);
  }

  /** A list with the numbers of the catalogue; empty if all of its documents are gone. */
  #mappedList(list: number, sizes: Uint32Array): PostingList {
    const { entryStarts, listFields } = this.#postings;
    const from = entryStarts[list]!;
    if (sizes[list] === 0) sizes[list] = this.#map(from, entryStarts[list + 1]!, this.numbers!) + 1;
    const leftOut = this.#leftOut.get(from);
    const entries = leftOut === undefined ? this.#whole : this.#shortenedEntries();
    return new PostingList(entries, from, from + sizes[list]! - 1, listFields[list]!, leftOut);
  }

  /** @returns the number of documents that are left */
  #map(from: number, to: number, numbers: Uint32Array): number {
    const { documents: stored } = this.#postings;
    const { documents } = this.#whole;
    const leftOut: number[] = [];
    let next = from;
    for (let entry = from; entry < to; entry++) {
      const document = numbers[stored[entry]!]!;
      if (document === GONE) leftOut.push(next);
      else documents[next++] = document;
    }
    if (leftOut.length > 0) this.#leftOut.set(from, Uint32Array.from(leftOut));
    return next - from;
  }

  #shortenedEntries(): ListEntries & { readonly frequencies: Uint8Array } {
    this.#shortened ??= { ...this.#whole, frequencies: new Uint8Array(this.#postings.frequencies.length) };
    return this.#shortened;
  }

  /** Takes over the frequencies of lists that lost documents; they must have been read. */
  #takeFrequencies(lists: readonly PostingList[]): void {
    if (this.hasAll) return;
    for (const list of lists) {
      if (list.to === list.storedTo || this.#withFrequencies.has(list.from)) continue;
      const { frequencies } = this.#shortenedEntries();
      for (let entry = list.from; entry < list.to; entry++) {
        frequencies[entry] = this.#postings.frequencies[list.storedEntry(entry)]!;
      }
      this.#withFrequencies.add(list.from);
    }
  }
}

/** The stored entries of some lists, as ranges. The lists of a beginning are neighbours, so they are one range. */
function rangesOf(lists: readonly PostingList[]): (readonly [from: number, to: number])[] {
  const ranges: (readonly [from: number, to: number])[] = [];
  for (let i = 0; i < lists.length; ) {
    const { from } = lists[i]!;
    let to = lists[i]!.storedTo;
    for (i += 1; i < lists.length && lists[i]!.from === to; i++) to = lists[i]!.storedTo;
    ranges.push([from, to]);
  }
  return ranges;
}

/** Number of words whose terms are remembered, and number of their terms in all, four bytes each. */
const WORDS_REMEMBERED = 20_000;
const TERMS_REMEMBERED = 500_000;

/**
 * The terms of all segments. A look-up may find terms that only documents have which are gone: they have no lists. Work
 * is counted for each segment, but for that of looking one word up: all segments but one are small.
 */
export class SegmentTerms implements IndexTerms {
  readonly #segments: readonly OpenSegment[];
  /** The terms of recent words. A question of many words looks each word up in every step. */
  readonly #termsOfWord = new RecentlyUsed<readonly TermNumber[]>(
    WORDS_REMEMBERED,
    TERMS_REMEMBERED,
    ({ length }) => length,
  );

  constructor(segments: readonly OpenSegment[]) {
    this.#segments = segments;
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    switch (lookup.kind) {
      case 'stem':
        return this.#termsOfWord.get(lookup.term, () => this.#withSameStem(lookup.term));
      case 'character':
      case 'prefix':
        return this.#beginningWith(lookup.term, work);
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits, work);
    }
  }

  occurs(lookup: Lookup, work: Work): boolean {
    return (this.find(lookup, work) ?? []).some((term) => {
      const segment = this.#segmentOf(term);
      return segment.hasDocument(term - segment.firstTerm);
    });
  }

  termAt(term: TermNumber): string {
    const { dictionary, firstTerm } = this.#segmentOf(term);
    return dictionary.termAt(term - firstTerm);
  }

  isAccented(term: TermNumber): boolean {
    const { dictionary, firstTerm } = this.#segmentOf(term);
    return dictionary.isAccented(term - firstTerm);
  }

  listsOf(term: TermNumber, lastField: number): PostingList[] {
    const segment = this.#segmentOf(term);
    return segment.listsOf(term - segment.firstTerm, lastField);
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void {
    for (const segment of this.#segments) segment.addLists(terms, lastField, lists, termOf);
  }

  needFrequencies(lists: readonly PostingList[]): void {
    for (const segment of this.#segments) segment.needFrequencies(this.#listsIn(segment, lists));
  }

  needPositions(lists: readonly PostingList[]): void {
    for (const segment of this.#segments) segment.needPositions(this.#listsIn(segment, lists));
  }

  #segmentOf(term: TermNumber): OpenSegment {
    let i = 0;
    while (term >= this.#segments[i]!.behindTerm) i += 1;
    return this.#segments[i]!;
  }

  #listsIn({ keywords }: OpenSegment, lists: readonly PostingList[]): readonly PostingList[] {
    return this.#segments.length === 1 ? lists : lists.filter(({ stored }) => stored === keywords.postings);
  }

  #withSameStem(text: string): readonly TermNumber[] {
    return this.#segments.flatMap(({ dictionary, firstTerm }) =>
      dictionary.withSameStem(text).map((term) => firstTerm + term),
    );
  }

  #beginningWith(text: string, work: Work): readonly TermNumber[] | undefined {
    const found: TermNumber[] = [];
    for (const { dictionary, firstTerm } of this.#segments) {
      const [from, to] = dictionary.rangeOfPrefix(text);
      if (!work.affords((to - from) * TERM_COST)) return undefined;
      for (let term = from; term < to; term++) found.push(firstTerm + term);
    }
    return found;
  }

  /**
   * A form that is near may be in one segment, and terms of its stem in another. A form that only documents have which
   * are gone leads to none. Forms come in the order that one dictionary of all segments would have them in: scores then
   * do not differ by rounding.
   *
   * @returns undefined if the work is not afforded
   */
  #withinEdits(form: string, edits: number, work: Work): readonly TermNumber[] | undefined {
    const near = new Set<string>();
    for (const segment of this.#segments) {
      const found = segment.dictionary.nearTerms(form, edits, work);
      if (found === undefined) return undefined;
      for (const term of found) if (segment.hasDocument(term)) near.add(segment.dictionary.formAt(term));
    }
    const found = new Set<TermNumber>();
    for (const one of [...near].sort(compareNear)) {
      if (!work.affords(LOOKUP_COST)) return undefined;
      for (const term of this.#withSameStem(one)) found.add(term);
    }
    return [...found];
  }
}

/** The order of `TermDictionary.nearTerms`. */
function compareNear(a: string, b: string): number {
  return a.length - b.length || letterGroupOf(lettersOf(a)) - letterGroupOf(lettersOf(b)) || compareCodePoints(a, b);
}
