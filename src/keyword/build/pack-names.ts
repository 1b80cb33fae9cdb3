import { type DocumentNumber, fnv1a, GrowingUint32, typedNameKey } from '../../core/index.js';
import { countDocuments } from '../document-sets.js';
import { COMPLETED_FIELDS, completesWords } from '../keyword-index.js';
import { checkOfKey, type NameTable, type PackedCompletions, type PackedPostings } from '../packed-keywords.js';
import { PositionReader, type PostingList, standsAlone, storedList } from '../posting-list.js';
import { numbersIn } from '../term-dictionary.js';
import { inverseOf, orderOf, packStrings, TermTable } from './pack-dictionary.js';

type NameCompletions = Pick<PackedCompletions, 'names' | 'nameCounts' | 'nameOf'>;

/** Collects the names of documents. */
export class NameSpellings {
  readonly #names = new TermTable();
  readonly #nameOf: GrowingUint32 = new GrowingUint32();

  /** Adds the name of the next document. */
  add(name: string): void {
    this.#nameOf.push(this.#names.add(name));
  }

  pack(): NameCompletions {
    const names = this.#names.texts;
    const keys = names.map(typedNameKey);
    const order = orderOf(names.map((name, i) => `${keys[i]!}\0${name}`));
    const numberOf = inverseOf(order);
    const nameOf = this.#nameOf.values.map((name) => numberOf[name]!);
    const nameCounts = new Uint32Array(names.length);
    for (const name of nameOf) nameCounts[name]! += 1;
    moveToSpelling(nameCounts, (number) => keys[order[number]!]!);
    return { names: packStrings(order.map((i) => names[i]!)), nameCounts, nameOf };
  }
}

/** Moves the counts of names with the same key, which are neighbours, to the first of the most frequent of them. */
function moveToSpelling(counts: Uint32Array, keyAt: (name: number) => string): void {
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

/**
 * The terms that complete words, and how many documents have each.
 *
 * @param texts of the terms, by number
 */
export function packTerms(
  texts: readonly string[],
  postings: PackedPostings,
): Pick<PackedCompletions, 'terms' | 'termCounts'> {
  const { listStarts, listFields } = postings;
  const terms = new GrowingUint32();
  const termCounts = new GrowingUint32();
  const reader = new PositionReader(postings);
  const entries = { documents: postings.documents, frequencies: postings.frequencies, stored: postings };
  for (const [term, text] of texts.entries()) {
    if (!completesWords(text)) continue;
    const lists: PostingList[] = [];
    for (let list = listStarts[term]!; list < listStarts[term + 1]!; list++) {
      if (COMPLETED_FIELDS.includes(listFields[list]!)) lists.push(storedList(entries, list));
    }
    if (!lists.some((list) => standsAlone(list, reader))) continue;
    terms.push(term);
    termCounts.push(countDocuments(lists));
  }
  return { terms: terms.values.slice(), termCounts: termCounts.values.slice() };
}

/** Collects the keys of documents. */
export class NameCollector {
  readonly #documents = new GrowingUint32();
  readonly #hashes = new GrowingUint32();
  readonly #checks = new GrowingUint32();

  add(document: DocumentNumber, key: string): void {
    this.addHashes(document, fnv1a(key), checkOfKey(key));
  }

  addHashes(document: DocumentNumber, hash: number, check: number): void {
    this.#documents.push(document);
    this.#hashes.push(hash);
    this.#checks.push(check);
  }

  pack(): NameTable {
    const [documents, hashes, checks] = [this.#documents.values, this.#hashes.values, this.#checks.values];
    const order = numbersIn(0, hashes.length).sort(
      (a, b) => hashes[a]! - hashes[b]! || documents[a]! - documents[b]! || checks[a]! - checks[b]!,
    );
    return {
      hashes: order.map((i) => hashes[i]!),
      documents: order.map((i) => documents[i]!),
      checks: order.map((i) => checks[i]!),
    };
  }
}
