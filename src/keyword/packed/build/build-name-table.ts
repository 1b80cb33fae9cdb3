import { endianness } from 'node:os';
import { GrowingUint32 } from '../../../arrays/growing-array.js';
import { checkOfName, hashOfName } from '../name-hash.js';
import type { NameTable } from '../name-table.js';
import { DROPPED } from './dropped.js';

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
