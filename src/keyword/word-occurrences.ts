import type { DocumentNumber } from '../numbers.js';
import type { LengthNorms } from './length-norms.js';
import { RecentlyUsed } from './recently-used.js';

/** A posting list: the documents that have a term in a field, each with the frequency of the term. */
export interface DocumentFrequencies {
  readonly size: number;
  get(document: DocumentNumber): number | undefined;
  forEach(visit: (frequency: number, document: DocumentNumber) => void): void;
  /** Does what {@link addAmounts} does for this list. Optional: for lists that are faster than document by document. */
  addAmounts?(documents: Uint32Array, norms: LengthNorms, weight: number, into: Float64Array): void;
  /**
   * Adds the frequencies to `sums`, by document, and appends documents whose sum was 0 to `having`. Optional, as above.
   *
   * @param count number of documents in `having` so far
   * @returns number of documents in `having` then
   */
  addFrequencies?(sums: Uint32Array, having: Uint32Array, count: number): number;
  /** Does what {@link addAllAmounts} does for this list. Optional, as above. */
  addAllAmounts?(norms: LengthNorms, weight: number, amounts: Float64Array, having: Uint32Array, count: number): number;
}

/** The postings of a word of a question in one field, in all forms of the word. */
export interface FieldOccurrences {
  /** The posting lists of its forms; none is empty. */
  readonly lists: readonly DocumentFrequencies[];
  /** Sum of the sizes of the lists; at least the number of documents. */
  readonly size: number;
  /** The highest frequency divided by length norm in any document. */
  readonly highest: number;
}

/** The postings of a word of a question. */
export interface WordOccurrences {
  /** Number of documents that have the word in any field. */
  readonly documentFrequency: number;
  /** By scored field; undefined if no document has the word there. */
  readonly byField: readonly (FieldOccurrences | undefined)[];
  /** Number of postings in joined lists. */
  readonly joined: number;
  /** Number of postings that were read. */
  readonly postings: number;
}

/** The frequency of a word in a field of a document: the sum over its forms. */
export function frequencyIn({ lists }: FieldOccurrences, document: DocumentNumber): number {
  let sum = 0;
  for (let i = 0; i < lists.length; i++) sum += lists[i]!.get(document) ?? 0;
  return sum;
}

/**
 * Adds to the number beside each of some ascending documents its amount of a word in a field: weight times frequency,
 * divided by the length norm.
 *
 * @param lists the posting lists of the word in the field
 */
export function addAmounts(
  lists: readonly DocumentFrequencies[],
  documents: Uint32Array,
  norms: LengthNorms,
  weight: number,
  into: Float64Array,
): void {
  for (const list of lists) {
    if (list.addAmounts !== undefined) {
      list.addAmounts(documents, norms, weight, into);
      continue;
    }
    for (let i = 0; i < documents.length; i++) {
      const frequency = list.get(documents[i]!);
      if (frequency !== undefined) into[i] = into[i]! + (weight * frequency) / norms.of(documents[i]!);
    }
  }
}

/**
 * Adds the amounts of a word in a field to `amounts`, by document: weight times frequency, divided by the length norm.
 * Documents whose amount was 0 are appended to `having`.
 *
 * @param count number of documents in `having` so far
 * @returns number of documents in `having` then
 */
export function addAllAmounts(
  lists: readonly DocumentFrequencies[],
  norms: LengthNorms,
  weight: number,
  amounts: Float64Array,
  having: Uint32Array,
  count: number,
): number {
  let next = count;
  for (const list of lists) {
    if (list.addAllAmounts !== undefined) {
      next = list.addAllAmounts(norms, weight, amounts, having, next);
      continue;
    }
    list.forEach((frequency, document) => {
      const before = amounts[document]!;
      const after = before + (weight * frequency) / norms.of(document);
      if (before === 0 && after > 0) having[next++] = document;
      amounts[document] = after;
    });
  }
  return next;
}

/** With this many forms or more, joining the lists once is faster than looking each one up. */
const JOINED_FROM = 24;

/**
 * Reads the postings of words. The working space is made once: arrays by document made for each word would add up to
 * tens of megabytes a second, and every garbage collection scans an index of gigabytes.
 */
export class OccurrenceReader {
  /** The documents that {@link read} found, in no particular order, and beside each the frequency of the word. */
  readonly documents: Uint32Array;
  readonly frequencies: Uint32Array;
  /** By document; all 0 between two calls. */
  readonly #sums: Uint32Array;
  /** By document, the number of the last word that it was counted for. */
  readonly #countedFor: Uint32Array;
  #words = 0;

  constructor(size: number) {
    this.documents = new Uint32Array(size);
    this.frequencies = new Uint32Array(size);
    this.#sums = new Uint32Array(size);
    this.#countedFor = new Uint32Array(size);
  }

  /**
   * Reads the documents of a word in one field into {@link documents} and {@link frequencies}, each document once.
   *
   * @returns how many there are; the arrays beyond that hold values of earlier calls
   */
  read(lists: readonly DocumentFrequencies[]): number {
    const { documents, frequencies } = this;
    let count = 0;
    const sums = this.#sums;
    for (const list of lists) {
      if (list.addFrequencies !== undefined) {
        count = list.addFrequencies(sums, documents, count);
        continue;
      }
      list.forEach((frequency, document) => {
        const before = sums[document]!;
        if (before === 0) documents[count++] = document;
        sums[document] = before + frequency;
      });
    }
    for (let i = 0; i < count; i++) {
      const document = documents[i]!;
      frequencies[i] = sums[document]!;
      sums[document] = 0;
    }
    return count;
  }

  /**
   * @param lists the posting lists of all terms that answer the word, by scored field
   * @param norms by scored field
   */
  wordOf(lists: readonly (readonly DocumentFrequencies[])[], norms: readonly LengthNorms[]): WordOccurrences {
    let [documentFrequency, joined, postings] = [0, 0, 0];
    this.#words += 1;
    const byField = lists.map((ofField, field) => {
      if (ofField.length === 0) return undefined;
      const count = this.read(ofField);
      postings += ofField.reduce((sum, { size }) => sum + size, 0);
      documentFrequency += this.#countNew(count);
      const highest = this.#highest(count, norms[field]!);
      const kept = ofField.length < JOINED_FROM ? ofField : [this.#join(count)];
      if (kept !== ofField) joined += count;
      return { lists: kept, size: kept.reduce((sum, { size }) => sum + size, 0), highest };
    });
    return { documentFrequency, byField, joined, postings };
  }

  /** Counts the documents that were not counted for this word in another field. */
  #countNew(count: number): number {
    const countedFor = this.#countedFor;
    let fresh = 0;
    for (let i = 0; i < count; i++) {
      const document = this.documents[i]!;
      if (countedFor[document] !== this.#words) fresh += 1;
      countedFor[document] = this.#words;
    }
    return fresh;
  }

  #highest(count: number, norms: LengthNorms): number {
    let highest = 0;
    for (let i = 0; i < count; i++) {
      const amount = this.frequencies[i]! / norms.of(this.documents[i]!);
      if (amount > highest) highest = amount;
    }
    return highest;
  }

  #join(count: number): DocumentFrequencies {
    const joined = new Map<DocumentNumber, number>();
    for (let i = 0; i < count; i++) joined.set(this.documents[i]!, this.frequencies[i]!);
    return joined;
  }
}

/** Number of words to remember, about a kilobyte each: little beside the index. */
const WORDS_KEPT = 10_000;
/** Number of joined postings to keep with them, some 50 bytes each. */
const POSTINGS_KEPT = 1_000_000;

/**
 * A cache for the words of recent questions. The document frequency of a word needs a pass over all its postings, which
 * takes milliseconds for the words that every other question has.
 */
export function recentWords(): RecentlyUsed<WordOccurrences> {
  return new RecentlyUsed(WORDS_KEPT, POSTINGS_KEPT, ({ joined }) => joined);
}
