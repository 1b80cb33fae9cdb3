/** Items grouped by their keys. The items of key `k` are `items[starts[k]]` to `items[starts[k + 1] - 1]`. */
export interface GroupedItems {
  /** One more than there are keys. */
  readonly starts: Uint32Array;
  /** Items by ascending key, then ascending. */
  readonly items: Uint32Array;
}

/**
 * Groups the items 0 to `keyOf.length - 1` by their keys. A counting sort: it takes time in proportion to the number of
 * items and keys.
 *
 * @param keyOf the key of each item, less than `keyCount`; items with a negative key are left out
 */
export function countingSort(keyOf: ArrayLike<number>, keyCount: number): GroupedItems {
  // Shifted by two while counting. Filling the groups then turns the start of each into the start of the next.
  const ends = new Uint32Array(keyCount + 2);
  let count = 0;
  for (let item = 0; item < keyOf.length; item++) {
    const key = keyOf[item]!;
    if (key < 0) continue;
    ends[key + 2] = ends[key + 2]! + 1;
    count += 1;
  }
  for (let key = 2; key < ends.length; key++) ends[key] = ends[key]! + ends[key - 1]!;
  const items = new Uint32Array(count);
  for (let item = 0; item < keyOf.length; item++) {
    const key = keyOf[item]!;
    if (key < 0) continue;
    const at = ends[key + 1]!;
    items[at] = item;
    ends[key + 1] = at + 1;
  }
  return { starts: ends.slice(0, keyCount + 1), items };
}
