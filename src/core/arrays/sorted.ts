import { allPieces, type Pieces } from '../threads/turns.js';

/**
 * Index of the first value that is not less than `wanted`; `to` if all are less. Bisection.
 *
 * @param values ascending between `from` and `to`
 * @param from first index to look at
 * @param to behind the last index to look at
 */
export function lowerBound(
  values: Uint16Array | Uint32Array | Float64Array,
  wanted: number,
  from = 0,
  to: number = values.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first of the indexes 0 to `length - 1` for which `isBefore` is false; `length` if there is none. Bisection.
 *
 * @param isBefore true up to some index, false from there on
 */
export function lowerBoundBy(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * {@link lowerBound} in steps that double: fast where the index is near `from`, as in a loop over ascending numbers.
 *
 * @param values ascending between `from` and `to`
 */
export function leapTo(values: Uint32Array, wanted: number, from: number, to: number = values.length): number {
  let low = from;
  let step = 1;
  while (low + step < to && values[low + step]! < wanted) {
    low += step;
    step *= 2;
  }
  return lowerBound(values, wanted, low, Math.min(low + step, to));
}

/** Items grouped by their keys. The items of key `k` are `items[starts[k]]` to `items[starts[k + 1] - 1]`. */
export interface GroupedItems {
  /** One more than there are keys. */
  readonly starts: Uint32Array;
  /** Items by ascending key, then ascending. */
  readonly items: Uint32Array;
}

/** Items between two pieces: less than a millisecond, once the code is compiled. */
const PIECE = 1 << 14;

/**
 * Groups the items 0 to `keyOf.length - 1` by their keys. A counting sort: it takes time in proportion to the number of
 * items and keys.
 *
 * @param keyOf the key of each item, less than `keyCount`; items with a negative key are left out
 */
export function countingSort(keyOf: ArrayLike<number>, keyCount: number): GroupedItems {
  return allPieces(countingSortInPieces(keyOf, keyCount));
}

/** As {@link countingSort}, in pieces. The keys must not change meanwhile. */
export function* countingSortInPieces(keyOf: ArrayLike<number>, keyCount: number): Pieces<GroupedItems> {
  // Shifted by two while counting. Filling the groups then turns the start of each into the start of the next.
  const ends = new Uint32Array(keyCount + 2);
  let count = 0;
  for (let from = 0; from < keyOf.length; from += PIECE) {
    count += countKeys(keyOf, from, Math.min(from + PIECE, keyOf.length), ends);
    yield;
  }
  for (let key = 2; key < ends.length; key++) ends[key] = ends[key]! + ends[key - 1]!;
  yield;
  const items = new Uint32Array(count);
  for (let from = 0; from < keyOf.length; from += PIECE) {
    fillGroups(keyOf, from, Math.min(from + PIECE, keyOf.length), ends, items);
    yield;
  }
  return { starts: ends.slice(0, keyCount + 1), items };
}

/** @returns how many of the items have a key */
function countKeys(keyOf: ArrayLike<number>, from: number, to: number, ends: Uint32Array): number {
  let count = 0;
  for (let item = from; item < to; item++) {
    const key = keyOf[item]!;
    if (key < 0) continue;
    ends[key + 2] = ends[key + 2]! + 1;
    count += 1;
  }
  return count;
}

function fillGroups(keyOf: ArrayLike<number>, from: number, to: number, ends: Uint32Array, items: Uint32Array): void {
  for (let item = from; item < to; item++) {
    const key = keyOf[item]!;
    if (key < 0) continue;
    const at = ends[key + 1]!;
    items[at] = item;
    ends[key + 1] = at + 1;
  }
}

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

/** Compares two items: negative if the first comes first. Must be a total order. */
export type Comparator = (a: number, b: number) => number;

/**
 * The items from `offset` up to `offset + limit` of a sorted list. Does not sort the rest: a heap keeps the first
 * `offset + limit`.
 *
 * @param items in any order, all distinct
 * @param isWanted leaves items out; asked only about those that would be among the first
 */
export function topOf(
  items: ArrayLike<number>,
  compare: Comparator,
  offset: number,
  limit: number,
  isWanted: (item: number) => boolean = () => true,
): number[] {
  const wanted = Math.min(offset + limit, items.length);
  if (offset >= wanted) return [];
  const heap: number[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    const isFull = heap.length === wanted;
    if ((isFull && compare(item, heap[0]!) >= 0) || !isWanted(item)) continue;
    if (isFull) {
      heap[0] = item;
      siftDown(heap, compare);
    } else {
      heap.push(item);
      siftUp(heap, heap.length - 1, compare);
    }
  }
  return heap.sort(compare).slice(offset);
}

/** The root of the heap is the last in the order: the one that the next better item replaces. */
function siftUp(heap: number[], from: number, compare: Comparator): void {
  let i = from;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (compare(heap[i]!, heap[parent]!) <= 0) return;
    swap(heap, i, parent);
    i = parent;
  }
}

function siftDown(heap: number[], compare: Comparator): void {
  let i = 0;
  for (;;) {
    const left = 2 * i + 1;
    if (left >= heap.length) return;
    const right = left + 1;
    const last = right < heap.length && compare(heap[right]!, heap[left]!) > 0 ? right : left;
    if (compare(heap[last]!, heap[i]!) <= 0) return;
    swap(heap, i, last);
    i = last;
  }
}

function swap(heap: number[], i: number, j: number): void {
  const kept = heap[i]!;
  heap[i] = heap[j]!;
  heap[j] = kept;
}
