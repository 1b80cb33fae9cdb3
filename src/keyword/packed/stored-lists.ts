import type { Pager, TermNumber } from '../../core/index.js';
import { FILES } from '../index-fields.js';
import type { PackedPostings } from '../packed-keywords.js';
import { type ListEntries, needFrequencies, needPositions, type PostingList, storedList } from '../posting-list.js';
import type { ListReader } from './list-reader.js';
import type { MappedEntries } from './mapped-entries.js';

/** The posting lists of a `PackedKeywords`, read from its file where they are needed. */
export class StoredLists implements ListReader {
  readonly #postings: PackedPostings;
  readonly #pager: Pager;
  readonly #entries: ListEntries;
  readonly #mapped: MappedEntries | undefined;

  /** @param mapped gives the documents the numbers that they have in the whole; without it they keep theirs */
  constructor(postings: PackedPostings, pager: Pager, mapped?: MappedEntries) {
    this.#postings = postings;
    this.#pager = pager;
    this.#entries = { documents: postings.documents, frequencies: postings.frequencies, stored: postings };
    this.#mapped = mapped;
  }

  listsOf(term: TermNumber, lastField: number): PostingList[] {
    const lists: PostingList[] = [];
    this.addLists([term], lastField, lists, []);
    return lists;
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void {
    this.#needAll(terms, lastField);
    for (let t = 0; t < terms.length; t++) {
      const first = lists.length;
      this.#addListsOf(terms[t]!, lastField, lists);
      for (let l = first; l < lists.length; l++) termOf.push(terms[t]!);
    }
  }

  /** Whether any document that is left has a term. */
  hasDocument(term: TermNumber): boolean {
    return this.#mapped === undefined || this.#mapped.hasAll || this.listsOf(term, FILES).length > 0;
  }

  needFrequencies(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needFrequencies(this.#postings, from, to, this.#pager);
    this.#mapped?.takeFrequencies(lists);
  }

  needPositions(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needPositions(this.#postings, from, to, this.#pager);
    this.#mapped?.takeFrequencies(lists);
  }

  #addListsOf(term: TermNumber, lastField: number, lists: PostingList[]): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    const from = listStarts[term]!;
    const end = listStarts[term + 1]!;
    let to = from;
    while (to < end && listFields[to]! <= lastField) to += 1;
    if (lastField !== FILES) this.#pager.need(documents, entryStarts[from]!, entryStarts[to]!);
    for (let list = from; list < to; list++) {
      const made =
        this.#mapped === undefined ? storedList(this.#postings, this.#entries, list) : this.#mapped.list(list);
      if (made.size > 0) lists.push(made);
    }
  }

  /** Reads what the lists of some terms need, for runs of neighbouring terms at once. */
  #needAll(terms: readonly TermNumber[], lastField: number): void {
    for (let t = 0; t < terms.length; ) {
      const from = terms[t]!;
      let to = from + 1;
      for (t += 1; t < terms.length && terms[t] === to; t++) to += 1;
      this.#need(from, to, lastField);
    }
  }

  /** Reads bounds and fields of the lists of the terms between two numbers, and their documents if all fields count. */
  #need(from: TermNumber, to: TermNumber, lastField: number): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    this.#pager.need(listStarts, from, to + 1);
    const [first, behind] = [listStarts[from]!, listStarts[to]!];
    this.#pager.need(listFields, first, behind);
    this.#pager.need(entryStarts, first, behind + 1);
    if (lastField === FILES) this.#pager.need(documents, entryStarts[first]!, entryStarts[behind]!);
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
