import type { LengthNorms } from './length-norms.js';
import { RecentlyUsed } from './recently-used.js';

/** The documents that have a term in a field, each with how often. */
export interface DocumentFrequencies {
  readonly size: number;
  get(document: number): number | undefined;
  forEach(visit: (frequency: number, document: number) => void): void;
  /** What {@link addAmounts} does for this list, where that is quicker than document by document. */
  addAmounts?(documents: Uint32Array, norms: LengthNorms, weight: number, into: Float64Array): void;
}

/** Where a word of a question stands in one field, in any of its forms. */
export interface FieldOccurrences {
  /** The postings of its forms; none is empty. */
  readonly lists: readonly DocumentFrequencies[];
  /** Sum of their lengths; at least the number of documents. */
  readonly size: number;
  /** The highest frequency by the field's length norm in any of the documents. */
  readonly highest: number;
}

/** Where a word of a question stands. */
export interface WordOccurrences {
  /** The number of documents that have the word in any field. */
  readonly documents: number;
  /** By the number of the field; undefined where no document has the word there. */
  readonly byField: readonly (FieldOccurrences | undefined)[];
  /** Entries of postings that were joined for it. */
  readonly joined: number;
}

/** How often a word stands in a field of a document: the sum over its forms. */
export function frequencyIn({ lists }: FieldOccurrences, number: number): number {
  let sum = 0;
  for (let i = 0; i < lists.length; i++) sum += lists[i]!.get(number) ?? 0;
  return sum;
}

/**
 * Adds to the number beside each of some ascending documents how much of a word they have by some lists: the sum of
 * weight times frequency, divided by the length norm.
 */
export function addAmounts(
  lists: readonly DocumentFrequencies[],
  documents: Uint32Array,
  norms: LengthNorms,
  weight: number,
  into: Float64Array,
): void {
  for (const list of lists) {
    if (list.addAmounts !== undefined) list.addAmounts(documents, norms, weight, into);
    else {
      for (let i = 0; i < documents.length; i++) {
        const frequency = list.get(documents[i]!);
        if (frequency !== undefined) into[i] = into[i]! + (weight * frequency) / norms.of(documents[i]!);
      }
    }
  }
}

/** From so many forms on, looking them all up takes longer than joining them once. */
const JOINED_FROM = 24;

/**
 * Reads where words stand. Working space is made once and used again: arrays by document made for each word would add
 * up to tens of megabytes a second, and each time V8 collects them it goes through all of an index of gigabytes.
 */
export class OccurrenceReader {
  /** The documents that {@link read} found, in no particular order, and beside each how often the word stands there. */
  readonly numbers: Uint32Array;
  readonly frequencies: Uint32Array;
  /** By document; all 0 between two calls. */
  readonly #sums: Uint32Array;
  /** By document the last count that met it. */
  readonly #metIn: Uint32Array;
  #counts = 0;

  constructor(size: number) {
    this.numbers = new Uint32Array(size);
    this.frequencies = new Uint32Array(size);
    this.#sums = new Uint32Array(size);
    this.#metIn = new Uint32Array(size);
  }

  /**
   * Reads the documents of a word in one field into {@link numbers} and {@link frequencies}, each document once.
   *
   * @returns how many there are; what stands behind them is left over from before
   */
  read(lists: readonly DocumentFrequencies[]): number {
    const { numbers, frequencies } = this;
    let count = 0;
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) {
      only.forEach((frequency, number) => {
        numbers[count] = number;
        frequencies[count++] = frequency;
      });
      return count;
    }
    const sums = this.#sums;
    for (const postings of lists) {
      postings.forEach((frequency, number) => {
        const before = sums[number]!;
        if (before === 0) numbers[count++] = number;
        sums[number] = before + frequency;
      });
    }
    for (let i = 0; i < count; i++) {
      const number = numbers[i]!;
      frequencies[i] = sums[number]!;
      sums[number] = 0;
    }
    return count;
  }

  /**
   * @param lists the postings of all terms that answer the word, by field
   * @param norms by field
   */
  wordOf(lists: readonly (readonly DocumentFrequencies[])[], norms: readonly LengthNorms[]): WordOccurrences {
    let [documents, joined] = [0, 0];
    this.#counts += 1;
    const byField = lists.map((ofField, field) => {
      if (ofField.length === 0) return undefined;
      const count = this.read(ofField);
      documents += this.#countNew(count);
      const highest = this.#highest(count, norms[field]!);
      const kept = ofField.length < JOINED_FROM ? ofField : [this.#join(count)];
      if (kept !== ofField) joined += count;
      return { lists: kept, size: kept.reduce((sum, { size }) => sum + size, 0), highest };
    });
    return { documents, byField, joined };
  }

  #countNew(count: number): number {
    const metIn = this.#metIn;
    let fresh = 0;
    for (let i = 0; i < count; i++) {
      const number = this.numbers[i]!;
      if (metIn[number] !== this.#counts) fresh += 1;
      metIn[number] = this.#counts;
    }
    return fresh;
  }

  #highest(count: number, norms: LengthNorms): number {
    let highest = 0;
    for (let i = 0; i < count; i++) {
      const amount = this.frequencies[i]! / norms.of(this.numbers[i]!);
      if (amount > highest) highest = amount;
    }
    return highest;
  }

  #join(count: number): DocumentFrequencies {
    const joined = new Map<number, number>();
    for (let i = 0; i < count; i++) joined.set(this.numbers[i]!, this.frequencies[i]!);
    return joined;
  }
}

/** Words of past questions to remember: about a kilobyte each, which is little beside the index. */
const WORDS_KEPT = 10_000;
/** Entries of joined postings to keep with them, some 50 bytes each. */
const ENTRIES_KEPT = 1_000_000;

/**
 * The words asked for last. To know in how many documents a word is, all of them have to be counted, which takes
 * milliseconds for the words that every other question has.
 */
export function recentWords(): RecentlyUsed<WordOccurrences> {
  return new RecentlyUsed(WORDS_KEPT, ENTRIES_KEPT, ({ joined }) => joined);
}
