import type { Pieces } from './all-pieces.js';
import { countingSort, countingSortInPieces, type GroupedItems } from './counting-sort.js';

/** The items of each group, looked up by group. */
export class Members {
  readonly #starts: Uint32Array;
  readonly #items: Uint32Array;

  private constructor({ starts, items }: GroupedItems) {
    this.#starts = starts;
    this.#items = items;
  }

  /**
   * @param groupOf the group of each item, from 0; items with a negative one belong to none
   * @param groupCount number of groups
   */
  static byGroup(groupOf: ArrayLike<number>, groupCount: number): Members {
    return new Members(countingSort(groupOf, groupCount));
  }

  /** The same in pieces. The groups must not change meanwhile. */
  static *inPieces(groupOf: ArrayLike<number>, groupCount: number): Pieces<Members> {
    return new Members(yield* countingSortInPieces(groupOf, groupCount));
  }

  /** Number of groups that have an item. */
  get groupsWithItems(): number {
    let count = 0;
    for (let group = 1; group < this.#starts.length; group++) {
      if (this.#starts[group] !== this.#starts[group - 1]) count += 1;
    }
    return count;
  }

  /** The items of a group, ascending. */
  of(group: number): Uint32Array {
    return this.#items.subarray(this.#starts[group], this.#starts[group + 1]);
  }
}
