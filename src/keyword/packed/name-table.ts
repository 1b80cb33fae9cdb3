import { endianness } from 'node:os';
import { GrowingUint32 } from '../../arrays/growing-array.js';
import type { Pager } from '../../arrays/paged-image.js';
import { DROPPED } from './build/merge-postings.js';
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

/** Collects the keys of documents, in the order of these. */
export class NameCollector {
  readonly #documents = new GrowingUint32();
  readonly #hashes = new GrowingUint32();
  readonly #checks = new GrowingUint32();

  add(document: number, key: string): void {
    this.#documents.push(document);
    this.#hashes.push(hashOfName(key));
    this.#checks.push(checkOfName(key));
  }

  pack(): NameTable {
    return sorted({ documents: this.#documents.values, hashes: this.#hashes.values, checks: this.#checks.values });
  }
}

/** A table and the number that each of its documents gets: ascending, {@link DROPPED} for one that is left out. */
interface NameTablePart {
  readonly table: NameTable;
  readonly documentOf: Uint32Array;
}

/**
 * One table of several: what comes out is what collecting all keys in one go gives.
 *
 * @param size how many documents there are; each comes from one part
 */
export function mergeNameTables(size: number, parts: readonly NameTablePart[]): NameTable {
  /** By document where its entries begin; then where the next of them goes. */
  const places = new Uint32Array(size + 1);
  for (const { table, documentOf } of parts) {
    for (const document of table.documents) {
      const number = documentOf[document]!;
      if (number !== DROPPED) places[number + 1] = places[number + 1]! + 1;
    }
  }
  for (let number = 0; number < size; number++) {
    places[number + 1] = places[number + 1]! + places[number]!;
  }
  const count = places[size]!;
  const [documents, hashes, checks] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  for (const { table, documentOf } of parts) {
    table.documents.forEach((document, i) => {
      const number = documentOf[document]!;
      if (number === DROPPED) return;
      const place = places[number]!;
      places[number] = place + 1;
      documents[place] = number;
      hashes[place] = table.hashes[i]!;
      checks[place] = table.checks[i]!;
    });
  }
  return sorted({ documents, hashes, checks });
}

const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];

/** By hash; entries of the same hash stay in their order, which is that of their documents. */
function sorted({ documents, hashes, checks }: NameTable): NameTable {
  // Hash and place as one number of 64 bits: sorting these needs no function that compares.
  const pairs = new BigUint64Array(hashes.length);
  const halves = new Uint32Array(pairs.buffer);
  for (let place = 0; place < hashes.length; place++) {
    halves[2 * place + HIGH] = hashes[place]!;
    halves[2 * place + LOW] = place;
  }
  pairs.sort();
  const places = Uint32Array.from(hashes, (_, i) => halves[2 * i + LOW]!);
  return {
    hashes: places.map((place) => hashes[place]!),
    documents: places.map((place) => documents[place]!),
    checks: places.map((place) => checks[place]!),
  };
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
