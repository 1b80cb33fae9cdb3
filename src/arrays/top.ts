import { kthLargest } from './kth-largest.js';

/** Compares two items: negative if the first comes first. Must be a total order. */
export type Comparator = (a: number, b: number) => number;

/**
 * The items from `offset` up to `offset + limit` of a sorted list. Does not sort the rest: a heap keeps the first
 * `offset + limit`.
 *
 * @param items in any order, all distinct
 */
export function topOf(items: ArrayLike<number>, compare: Comparator, offset: number, limit: number): number[] {
  const wanted = Math.min(offset + limit, items.length);
  if (offset >= wanted) return [];
  const heap: number[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (heap.length < wanted) {
      heap.push(item);
      siftUp(heap, heap.length - 1, compare);
    } else if (compare(item, heap[0]!) < 0) {
      heap[0] = item;
      siftDown(heap, compare);
    }
  }
  return heap.sort(compare).slice(offset);
}

/**
 * The items whose score is not below that of the `count`-th best. They are few enough to be sorted by more than
 * their scores.
 *
 * @param scores by item
 */
export function bestScored(items: Uint32Array, scores: Float64Array, count: number): Uint32Array {
  if (items.length <= count) return items;
  const least = kthLargest(scores, items, items.length, count);
  // The method `filter` of typed arrays makes an object for each number that it keeps.
  const best = new Uint32Array(items.length);
  let kept = 0;
  for (let i = 0; i < items.length; i++) if (scores[items[i]!]! >= least) best[kept++] = items[i]!;
  return best.subarray(0, kept);
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
