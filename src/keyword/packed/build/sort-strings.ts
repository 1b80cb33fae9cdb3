import type { PackedStrings } from '../packed-strings.js';

/** Up to so many are sorted by insertion. */
const FEW = 12;

/**
 * Sorts numbers of strings by the strings' bytes, in place; equal strings stay in no particular order. Multikey quicksort:
 * J. Bentley, R. Sedgewick, Fast algorithms for sorting and searching strings, SODA 1997.
 */
export function sortByBytes({ bytes, starts }: PackedStrings, numbers: Uint32Array): void {
  /** 0 behind the end, else the byte and 1. */
  const byteOf = (number: number, depth: number): number => {
    const at = starts[number]! + depth;
    return at < starts[number + 1]! ? bytes[at]! + 1 : 0;
  };

  const isBefore = (a: number, b: number, depth: number): boolean => {
    for (let i = depth; ; i++) {
      const [byteA, byteB] = [byteOf(a, i), byteOf(b, i)];
      if (byteA !== byteB) return byteA < byteB;
      if (byteA === 0) return false;
    }
  };

  const insert = (from: number, to: number, depth: number): void => {
    for (let i = from + 1; i < to; i++) {
      const number = numbers[i]!;
      let at = i;
      for (; at > from && isBefore(number, numbers[at - 1]!, depth); at--) {
        numbers[at] = numbers[at - 1]!;
      }
      numbers[at] = number;
    }
  };

  /** Those between two places, which are equal in their first `depth` bytes. */
  const sort = (from: number, to: number, depth: number): void => {
    if (to - from <= FEW) {
      insert(from, to, depth);
      return;
    }
    const pivot = median(
      byteOf(numbers[from]!, depth),
      byteOf(numbers[(from + to) >>> 1]!, depth),
      byteOf(numbers[to - 1]!, depth),
    );
    let [low, high] = [from, to];
    for (let i = from; i < high; ) {
      const number = numbers[i]!;
      const byte = byteOf(number, depth);
      if (byte < pivot) {
        numbers[i++] = numbers[low]!;
        numbers[low++] = number;
      } else if (byte > pivot) {
        numbers[i] = numbers[--high]!;
        numbers[high] = number;
      } else {
        i += 1;
      }
    }
    // A byte has few values, and a term few bytes: this goes no deeper than some thousand calls.
    sort(from, low, depth);
    if (pivot !== 0) sort(low, high, depth + 1);
    sort(high, to, depth);
  };

  sort(0, numbers.length, 0);
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
