import { allPieces, type Pieces } from './all-pieces.js';
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
