/** A `Uint32Array` that grows. */
export class GrowingUint32 {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  at(i: number): number {
    return this.#values[i]!;
  }

  /** A view of the values so far, not a copy. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}

/** A `Uint8Array` that grows. */
export class GrowingBytes {
  #bytes = new Uint8Array(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow();
    this.#bytes[this.#length++] = byte;
  }

  /**
   * Adds a number of 7 bits a byte, the lowest first. All bytes but the last have their highest bit set.
   *
   * @param value less than 2^32
   */
  pushNumber(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow();
    let left = value;
    while (left > 127) {
      this.#bytes[this.#length++] = (left & 127) | 128;
      left >>>= 7;
    }
    this.#bytes[this.#length++] = left;
  }

  /** A view of the bytes so far, not a copy. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

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

/**
 * The `k`-th largest of some values. Does not sort them, see {@link LargestValues}.
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
  const largest = new LargestValues(k);
  for (let i = 0; i < count; i++) largest.add(values[indexes[i]!]!);
  return largest.least;
}

/** Number of set bits among the 32 bits of a number (H. S. Warren, Hacker's Delight, 5-1). */
export function countBits(value: number): number {
  const byFour = countBitsByFour(value);
  return Math.imul((byFour + (byFour >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * The first half of {@link countBits}: eight sums of four bits each. Three such results can be added without overflow.
 */
export function countBitsByFour(value: number): number {
  const byTwo = (value - ((value >>> 1) & 0x55555555)) | 0;
  return ((byTwo & 0x33333333) + ((byTwo >>> 2) & 0x33333333)) | 0;
}

/** The value of a key, which is made where there is none yet. */
export function madeOnce<Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** The part of a `Map` of lists that {@link appendTo} uses. */
interface ListsByKey<Key, Value> {
  get(key: Key): Value[] | undefined;
  set(key: Key, list: Value[]): unknown;
}

/** Adds a value to the list of a key. Creates the list for the first value. */
export function appendTo<Key, Value>(lists: ListsByKey<Key, Value>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
