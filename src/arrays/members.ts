import { countingSort } from './counting-sort.js';

/** The items of each group, looked up by group. */
export class Members {
  readonly #starts: Uint32Array;
  readonly #items: Uint32Array;

  /**
   * @param groupOf the group of each item, from 0; items with a negative one belong to none
   * @param groupCount number of groups
   */
  constructor(groupOf: ArrayLike<number>, groupCount: number) {
    const { starts, items } = countingSort(groupOf, groupCount);
    this.#starts = starts;
    this.#items = items;
  }

  /** The items of a group, ascending. */
  of(group: number): Uint32Array {
    return this.#items.subarray(this.#starts[group], this.#starts[group + 1]);
  }
}
