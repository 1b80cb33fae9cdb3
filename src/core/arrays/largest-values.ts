/** The `k` largest of the numbers that were added so far: a heap with the least of them at its root. */
export class LargestValues {
  readonly #heap: Float64Array;
  #count = 0;

  /** @param k at least 1 */
  constructor(k: number) {
    this.#heap = new Float64Array(k);
  }

  /** The least of them; minus infinity while there are fewer than `k`. */
  get least(): number {
    return this.#count < this.#heap.length ? Number.NEGATIVE_INFINITY : this.#heap[0]!;
  }

  add(value: number): void {
    if (this.#count < this.#heap.length) {
      this.#count += 1;
      siftUp(this.#heap, value, this.#count - 1);
    } else if (value > this.#heap[0]!) siftDown(this.#heap, value);
  }
}

/** Puts a value into the free place at an index. */
function siftUp(heap: Float64Array, value: number, free: number): void {
  let i = free;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (heap[parent]! <= value) break;
    heap[i] = heap[parent]!;
    i = parent;
  }
  heap[i] = value;
}

/** Puts a value in the place of the root. */
function siftDown(heap: Float64Array, value: number): void {
  let i = 0;
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
