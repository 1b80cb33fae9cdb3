import type { Pager } from '../../arrays/paged-image.js';
import { checkOfName, hashOfName } from './name-hash.js';

/** Documents by keys of their names, which are known by two hashes: keys that have both in common are the same. */
export interface NameTable {
  /** One hash of each key, ascending. */
  readonly hashes: Uint32Array;
  /** Beside each hash the document; ascending where hashes are equal. */
  readonly documents: Uint32Array;
  /** Beside each hash the other one of the key. */
  readonly checks: Uint32Array;
}

/** The documents of a key, ascending. Of a table in a file only what is looked at is read. */
export function documentsOfKey({ hashes, documents, checks }: NameTable, key: string, pager: Pager): number[] {
  const [hash, check] = [hashOfName(key), checkOfName(key)];
  const [from, to] = [placeOf(hashes, hash, pager), placeOf(hashes, hash + 1, pager)];
  for (const array of [documents, checks]) pager.need(array, from, to);
  const found: number[] = [];
  for (let i = from; i < to; i++) if (checks[i] === check) found.push(documents[i]!);
  return found;
}

/** The first place of a hash, or of one above it. */
function placeOf(hashes: Uint32Array, hash: number, pager: Pager): number {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    pager.need(hashes, middle, middle + 1);
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}
