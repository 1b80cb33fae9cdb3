import { countingSort, type DocumentNumber, GrowingUint32, LITTLE_ENDIAN, typedNameKey } from '../../core/index.js';
import { countDocuments } from '../document-sets.js';
import { COMPLETED_FIELDS, completesWords } from '../keyword-index.js';
import {
  checkOfKey,
  GONE,
  hashOfKey,
  type NameTable,
  type PackedCompletions,
  type PackedPostings,
  type PackedStrings,
  pickStrings,
} from '../packed-keywords.js';
import { PositionReader, type PostingList, standsAlone, storedList } from '../posting-list.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { sortByBytes, TermTable } from './pack-dictionary.js';

/** Collects the names of documents. */
export class NameSpellings {
  readonly #names = new TermTable();
  readonly #nameOf = new GrowingUint32();

  /** Adds the name of the next document. */
  add(name: string): void {
    this.#nameOf.push(this.#names.add(name));
  }

  pack(): NameCompletions {
    return packNames(this.#names.strings, this.#nameOf.values);
  }
}

type NameCompletions = Pick<PackedCompletions, 'names' | 'nameCounts' | 'nameOf'>;

/** Names, and the new number of each document that has one: {@link GONE} for one that is left out. */
interface NamePart {
  readonly completions: NameCompletions;
  readonly documentOf: Uint32Array;
}

/**
 * Merges names. The result equals that of collecting all names at once.
 *
 * @param size number of documents; each comes from one part
 */
export function mergeNames(size: number, parts: readonly NamePart[]): NameCompletions {
  const table = new TermTable();
  const merged = new Uint32Array(size);
  for (const { completions, documentOf } of parts) {
    const { names, nameOf } = completions;
    const newNumbers = new Uint32Array(names.starts.length - 1).fill(GONE);
    for (let former = 0; former < documentOf.length; former++) {
      const document = documentOf[former]!;
      if (document === GONE) continue;
      const name = nameOf[former]!;
      if (newNumbers[name] === GONE) {
        newNumbers[name] = table.addBytes(names.bytes, names.starts[name]!, names.starts[name + 1]!);
      }
      merged[document] = newNumbers[name]!;
    }
  }
  return packNames(table.strings, merged);
}

/**
 * @param texts distinct names, in any order
 * @param nameOf by document the number of its name
 */
function packNames(texts: PackedStrings, nameOf: Uint32Array): NameCompletions {
  const text = Buffer.from(texts.bytes.buffer, texts.bytes.byteOffset, texts.bytes.byteLength);
  const size = texts.starts.length - 1;
  const keys = new TermTable();
  const keyOf = Uint32Array.from({ length: size }, (_, name) =>
    keys.add(typedNameKey(text.toString('utf8', texts.starts[name], texts.starts[name + 1]))),
  );
  const rankOf = ranksOf(keys.strings);
  const order = Uint32Array.from({ length: size }, (_, name) => name);
  sortByBytes(texts, order);
  const bytesRank = new Uint32Array(size);
  for (let rank = 0; rank < size; rank++) bytesRank[order[rank]!] = rank;
  order.sort((a, b) => rankOf[keyOf[a]!]! - rankOf[keyOf[b]!]! || bytesRank[a]! - bytesRank[b]!);
  const numberOf = new Uint32Array(size);
  for (let number = 0; number < size; number++) numberOf[order[number]!] = number;
  const packedNameOf = nameOf.map((name) => numberOf[name]!);
  const nameCounts = new Uint32Array(size);
  for (const name of packedNameOf) nameCounts[name] = nameCounts[name]! + 1;
  moveToSpelling(nameCounts, (number) => keyOf[order[number]!]!);
  return { names: pickStrings(texts, order), nameCounts, nameOf: packedNameOf };
}

/** By number of a string, its rank among the strings in the order of their bytes. */
function ranksOf(strings: PackedStrings): Uint32Array {
  const order = Uint32Array.from({ length: strings.starts.length - 1 }, (_, i) => i);
  sortByBytes(strings, order);
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
  return ranks;
}

/** Moves the counts of names with the same key, which are neighbours, to the first of the most frequent of them. */
function moveToSpelling(counts: Uint32Array, keyAt: (name: number) => number): void {
  for (let from = 0; from < counts.length; ) {
    let [best, total] = [from, counts[from]!];
    let to = from + 1;
    for (; to < counts.length && keyAt(to) === keyAt(from); to++) {
      total += counts[to]!;
      if (counts[to]! > counts[best]!) best = to;
    }
    counts.fill(0, from, to);
    counts[best] = total;
    from = to;
  }
}

/** The terms that complete words, and how many documents have each. */
export function packTerms(
  { forms, accented, accentedNumbers }: PackedDictionary,
  postings: PackedPostings,
): Pick<PackedCompletions, 'terms' | 'termCounts'> {
  const { listStarts, listFields } = postings;
  const terms = new GrowingUint32();
  const termCounts = new GrowingUint32();
  const reader = new PositionReader(postings);
  const entries = { documents: postings.documents, frequencies: postings.frequencies, stored: postings };
  const lists: PostingList[] = [];
  let nextAccented = 0;
  for (let term = 0; term + 1 < listStarts.length; term++) {
    while (accentedNumbers[nextAccented]! < term) nextAccented += 1;
    lists.length = 0;
    for (let list = listStarts[term]!; list < listStarts[term + 1]!; list++) {
      if (isCompletedField[listFields[list]!] === true) lists.push(storedList(entries, list));
    }
    if (lists.length === 0 || !lists.some((list) => standsAlone(list, reader))) continue;
    const text = accentedNumbers[nextAccented] === term ? stringAt(accented, nextAccented) : stringAt(forms, term);
    if (!completesWords(text)) continue;
    terms.push(term);
    termCounts.push(countDocuments(lists));
  }
  return { terms: terms.values.slice(), termCounts: termCounts.values.slice() };
}

const isCompletedField: readonly boolean[] = Array.from({ length: Math.max(...COMPLETED_FIELDS) + 1 }, (_, field) =>
  COMPLETED_FIELDS.includes(field),
);

function stringAt({ bytes, starts }: PackedStrings, i: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + starts[i]!, starts[i + 1]! - starts[i]!).toString('utf8');
}

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

/** A table, and the new number of each of its documents: ascending, {@link GONE} for one that is left out. */
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
      documentOfEntry[first + i] = document === GONE ? -1 : document;
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
