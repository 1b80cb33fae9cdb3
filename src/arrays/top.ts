import { kthLargest } from './kth-largest.js';

/** Compares two document numbers: negative where the first comes first. Must be a total order. */
export type Comparator = (a: number, b: number) => number;

/**
 * The part of an ordered list from `offset` on, without ordering the rest: a heap keeps the best `offset + limit`.
 *
 * @param numbers any order, all distinct
 */
export function topOf(numbers: ArrayLike<number>, compare: Comparator, offset: number, limit: number): number[] {
  const wanted = Math.min(offset + limit, numbers.length);
  if (offset >= wanted) return [];
  const heap: number[] = [];
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    if (heap.length < wanted) {
      heap.push(number);
      siftUp(heap, heap.length - 1, compare);
    } else if (compare(number, heap[0]!) < 0) {
      heap[0] = number;
      siftDown(heap, compare);
    }
  }
  return heap.sort(compare).slice(offset);
}

/**
 * Those of some documents whose score is not below that of the `count`-th best: few enough to be put in order by more
 * than their scores.
 *
 * @param scores by document number
 */
export function bestScored(numbers: Uint32Array, scores: Float64Array, count: number): Uint32Array {
  if (numbers.length <= count) return numbers;
  const least = kthLargest(scores, numbers, numbers.length, count);
  return numbers.filter((number) => scores[number]! >= least);
}

/** The root of the heap is the last in order, the one to give way. */
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
