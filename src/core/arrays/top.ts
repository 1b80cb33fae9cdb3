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
