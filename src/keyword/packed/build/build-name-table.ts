import type { DocumentNumber } from '../../../core/index.js';
import { countingSort, GrowingUint32, LITTLE_ENDIAN } from '../../../core/index.js';
import { checkOfKey, hashOfKey } from '../key-hash.js';
import type { NameTable } from '../name-table.js';
import { DROPPED } from './dropped.js';

/** Collects the keys of documents. Documents must come in ascending order. */
export class NameCollector {
  readonly #documents = new GrowingUint32();
  readonly #hashes = new GrowingUint32();
  readonly #checks = new GrowingUint32();

  add(document: DocumentNumber, key: string): void {
    this.#documents.push(document);
    this.#hashes.push(hashOfKey(key));
    this.#checks.push(checkOfKey(key));
  }

  pack(): NameTable {
    return sortByHash({ documents: this.#documents.values, hashes: this.#hashes.values, checks: this.#checks.values });
  }
}

/** A table, and the new number of each of its documents: ascending, {@link DROPPED} for one that is left out. */
interface NameTablePart {
  readonly table: NameTable;
  readonly documentOf: Uint32Array;
}

/**
 * Merges tables. The result equals that of collecting all keys at once.
 *
 * @param size number of documents; each comes from one part
 */
export function mergeNameTables(size: number, parts: readonly NameTablePart[]): NameTable {
  const entryCount = parts.reduce((sum, { table }) => sum + table.documents.length, 0);
  /** New document of each entry of all parts; -1 for one that is left out. */
  const documentOfEntry = new Int32Array(entryCount);
  const hashes = new Uint32Array(entryCount);
  const checks = new Uint32Array(entryCount);
  let first = 0;
  for (const { table, documentOf } of parts) {
    const { documents } = table;
    for (let i = 0; i < documents.length; i++) {
      const document = documentOf[documents[i]!]!;
      documentOfEntry[first + i] = document === DROPPED ? -1 : document;
    }
    hashes.set(table.hashes, first);
    checks.set(table.checks, first);
    first += documents.length;
  }
  const { items } = countingSort(documentOfEntry, size);
  return sortByHash({
    documents: items.map((entry) => documentOfEntry[entry]!),
    hashes: items.map((entry) => hashes[entry]!),
    checks: items.map((entry) => checks[entry]!),
  });
}

/** Which half of a 64-bit number is the lower one, and which the higher. */
const [LOW, HIGH] = LITTLE_ENDIAN ? [0, 1] : [1, 0];

/** Sorts entries by hash. Those of equal hashes keep their order, which is that of their documents. */
function sortByHash({ documents, hashes, checks }: NameTable): NameTable {
  // Hash and index as one 64-bit number: sorting these needs no comparison function.
  const pairs = new BigUint64Array(hashes.length);
  const halves = new Uint32Array(pairs.buffer);
  for (let i = 0; i < hashes.length; i++) {
    halves[2 * i + HIGH] = hashes[i]!;
    halves[2 * i + LOW] = i;
  }
  pairs.sort();
  const order = Uint32Array.from(hashes, (_, i) => halves[2 * i + LOW]!);
  return {
    hashes: order.map((i) => hashes[i]!),
    documents: order.map((i) => documents[i]!),
    checks: order.map((i) => checks[i]!),
  };
}
