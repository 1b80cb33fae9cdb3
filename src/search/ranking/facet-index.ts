import type { DocumentNumber } from '../../core/index.js';
import { topOf } from '../../core/index.js';

/** A value of a facet, by its number, and how often it was counted. */
export interface ValueCount {
  readonly value: number;
  readonly count: number;
}

/**
 * The values of a facet by document: the index of labels the other way round. Counting reads the values of the counted
 * documents only.
 */
export class FacetIndex {
  /** Where the values of each document begin in {@link #values}. One more than there are documents. */
  readonly #starts: Uint32Array;
  readonly #values: Uint32Array;
  /** Counts, and which group was counted last, by value. All are 0 between two calls. */
  readonly #counts: Uint32Array;
  readonly #lastGroup: Uint32Array;
  /** The values that were counted so far. */
  readonly #counted: Uint32Array;

  /**
   * @param size number of documents
   * @param documentsOf the documents of each value, in the order of values with equal counts; one may be repeated
   */
  constructor(size: number, documentsOf: readonly ArrayLike<DocumentNumber>[]) {
    const ends = new Uint32Array(size + 1);
    for (const documents of documentsOf) {
      for (let i = 0; i < documents.length; i++) ends[documents[i]!] = ends[documents[i]!]! + 1;
    }
    for (let document = 1; document <= size; document++) ends[document] = ends[document]! + ends[document - 1]!;
    this.#values = new Uint32Array(ends[size]!);
    // Filled from the end of each document on, which turns its end into its start.
    for (let value = documentsOf.length - 1; value >= 0; value--) {
      const documents = documentsOf[value]!;
      for (let i = 0; i < documents.length; i++) {
        const at = ends[documents[i]!]! - 1;
        ends[documents[i]!] = at;
        this.#values[at] = value;
      }
    }
    this.#starts = ends;
    this.#counts = new Uint32Array(documentsOf.length);
    this.#lastGroup = new Uint32Array(documentsOf.length);
    this.#counted = new Uint32Array(documentsOf.length);
  }

  /**
   * Counts the values of some documents. A value counts once for each group of documents.
   *
   * @param groupOf group of each document; documents of a group must be neighbours. Undefined: each is a group.
   * @param limit how many values at most
   * @returns the most frequent values first, then by number
   */
  count(documents: Uint32Array, groupOf: ArrayLike<DocumentNumber> | undefined, limit: number): readonly ValueCount[] {
    const [starts, values, counts, lastGroup, counted] = [
      this.#starts,
      this.#values,
      this.#counts,
      this.#lastGroup,
      this.#counted,
    ];
    let found = 0;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      const group = (groupOf === undefined ? document : groupOf[document]!) + 1;
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) {
        const value = values[at]!;
        if (lastGroup[value] === group) continue;
        lastGroup[value] = group;
        if (counts[value] === 0) counted[found++] = value;
        counts[value] = counts[value]! + 1;
      }
    }
    const all = counted.subarray(0, found);
    const best = topOf(all, (a, b) => counts[b]! - counts[a]! || a - b, 0, limit);
    const answer = best.map((value) => ({ value, count: counts[value]! }));
    for (let i = 0; i < found; i++) {
      counts[all[i]!] = 0;
      lastGroup[all[i]!] = 0;
    }
    return answer;
  }
}
