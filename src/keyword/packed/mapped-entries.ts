import type { PackedPostings } from '../packed-keywords.js';
import { GONE } from '../packed-keywords.js';
import { type ListEntries, PostingList } from '../posting-list.js';

/**
 * The postings of a segment by the numbers that its documents have in the whole, without documents that are gone. Each
 * list is mapped when it is first asked for, and stays: in arrays as large as those of the segment, of which the system
 * allocates a page when something is written there.
 */
export class MappedEntries {
  /** Whether no document of the segment is gone. */
  readonly hasAll: boolean;
  readonly #postings: PackedPostings;
  readonly #numbers: Uint32Array;
  /** For lists of which nothing is left out. Their frequencies are those that are stored. */
  readonly #whole: ListEntries;
  /** For all others. What is left of a list stands where the list began; made for the first of them. */
  #shortened: { readonly entries: ListEntries; readonly frequencies: Uint8Array } | undefined;
  /** By list: what is left of it, plus 1; 0 before it is mapped. */
  readonly #sizes: Uint32Array;
  /** By the first entry of a list: see the constructor of `PostingList`. */
  readonly #leftOut = new Map<number, Uint32Array>();
  /** The first entries of the lists whose frequencies stand in {@link #shortened}. */
  readonly #withFrequencies = new Set<number>();

  /** @param numbers see `KeywordSegment` */
  constructor(postings: PackedPostings, numbers: Uint32Array) {
    this.#postings = postings;
    this.#numbers = numbers;
    this.hasAll = !numbers.includes(GONE);
    const documents = new Uint32Array(postings.documents.length);
    this.#whole = { documents, frequencies: postings.frequencies, stored: postings };
    this.#sizes = new Uint32Array(postings.listFields.length);
  }

  /** A list; empty if all of its documents are gone. Its bounds, field and documents must have been read. */
  list(list: number): PostingList {
    const { entryStarts, listFields } = this.#postings;
    const from = entryStarts[list]!;
    if (this.#sizes[list] === 0) this.#sizes[list] = this.#map(from, entryStarts[list + 1]!) + 1;
    const to = from + this.#sizes[list]! - 1;
    const leftOut = this.#leftOut.get(from);
    const entries = leftOut === undefined ? this.#whole : this.#shortenedEntries().entries;
    return new PostingList(entries, from, to, listFields[list]!, leftOut);
  }

  /** Takes over the frequencies of some lists of this segment, which must have been read. */
  takeFrequencies(lists: readonly PostingList[]): void {
    if (this.hasAll) return;
    const { frequencies: stored } = this.#postings;
    for (const list of lists) {
      if (list.to === list.storedTo || this.#withFrequencies.has(list.from)) continue;
      const { frequencies } = this.#shortenedEntries();
      for (let entry = list.from; entry < list.to; entry++) frequencies[entry] = stored[list.storedEntry(entry)]!;
      this.#withFrequencies.add(list.from);
    }
  }

  #shortenedEntries(): { readonly entries: ListEntries; readonly frequencies: Uint8Array } {
    if (this.#shortened === undefined) {
      const frequencies = new Uint8Array(this.#postings.frequencies.length);
      this.#shortened = { entries: { ...this.#whole, frequencies }, frequencies };
    }
    return this.#shortened;
  }

  /** @returns the number of documents that are left */
  #map(from: number, to: number): number {
    const { documents: stored } = this.#postings;
    const numbers = this.#numbers;
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
}
