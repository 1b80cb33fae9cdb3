import type { NumberArray } from './array-tree.js';

/** Reads parts of arrays from a file before they are used. */
export interface Pager {
  /**
   * Makes sure that a part of an array is in memory.
   *
   * @param from first element
   * @param to behind the last element; the end of the array by default
   * @throws {DamagedArrayFileError}
   */
  need(array: NumberArray, from?: number, to?: number): void;
}

/** A pager for arrays that are in memory as a whole. */
export const ALL_IN_MEMORY: Pager = { need: () => {} };

/** An array file does not hold what was written, or cannot be read any more. */
export class DamagedArrayFileError extends Error {
  override readonly name = 'DamagedArrayFileError';
}
