import type { DocumentNumber, Pager } from '../../core/index.js';
import { lowerBoundBy } from '../../core/index.js';
import { checkOfKey, hashOfKey } from './key-hash.js';

/**
 * Documents by the keys of their names. Keys are not stored, only two hashes of each: keys with the same two hashes
 * count as the same key. An entry is one index into the three arrays.
 */
export interface NameTable {
  /** First hash of the key of each entry, ascending. */
  readonly hashes: Uint32Array;
  /** Document of each entry; ascending among equal hashes. */
  readonly documents: Uint32Array;
  /** Second hash of the key of each entry. */
  readonly checks: Uint32Array;
}

/** The documents of a key, ascending. If the table is in a file, reads only the blocks it looks at. */
export function documentsOfKey({ hashes, documents, checks }: NameTable, key: string, pager: Pager): DocumentNumber[] {
  const [hash, check] = [hashOfKey(key), checkOfKey(key)];
  const from = firstEntry(hashes, hash, pager);
  const to = firstEntry(hashes, hash + 1, pager);
  for (const array of [documents, checks]) pager.need(array, from, to);
  const found: DocumentNumber[] = [];
  for (let entry = from; entry < to; entry++) if (checks[entry] === check) found.push(documents[entry]!);
  return found;
}

/** The first entry whose hash is not less than a given one. */
function firstEntry(hashes: Uint32Array, hash: number, pager: Pager): number {
  return lowerBoundBy(hashes.length, (entry) => {
    pager.need(hashes, entry, entry + 1);
    return hashes[entry]! < hash;
  });
}
