import { countingSort } from './counting-sort.js';

/** The documents of each group, looked up by group. */
export class Members {
  readonly #starts: Uint32Array;
  readonly #documents: Uint32Array;

  /**
   * @param groupOf the group of each document, from 0; documents with a negative one belong to none
   * @param groupCount number of groups
   */
  constructor(groupOf: ArrayLike<number>, groupCount: number) {
    const { starts, items } = countingSort(groupOf, groupCount);
    this.#starts = starts;
    this.#documents = items;
  }

  /** The documents of a group, ascending. */
  of(group: number): Uint32Array {
    return this.#documents.subarray(this.#starts[group], this.#starts[group + 1]);
  }
}
