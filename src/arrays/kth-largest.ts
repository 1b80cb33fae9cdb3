/**
 * The `k`-th largest of some values. Does not sort them: a heap keeps the `k` largest, with the least of them at its
 * root.
 *
 * @param values looked up by index
 * @param indexes the first `count` of them choose the values
 * @param k from 1 to `count`
 */
export function kthLargest(
  values: Float64Array | Float32Array,
  indexes: Uint32Array,
  count: number,
  k: number,
): number {
  const heap = new Float64Array(k);
  for (let i = 0; i < k; i++) heap[i] = values[indexes[i]!]!;
  for (let i = (k >> 1) - 1; i >= 0; i--) siftDown(heap, i);
  for (let i = k; i < count; i++) {
    const value = values[indexes[i]!]!;
    if (value <= heap[0]!) continue;
    heap[0] = value;
    siftDown(heap, 0);
  }
  return heap[0]!;
}

function siftDown(heap: Float64Array, from: number): void {
  const value = heap[from]!;
  let i = from;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child += 1;
    if (heap[child]! >= value) break;
    heap[i] = heap[child]!;
    i = child;
  }
  heap[i] = value;
}
