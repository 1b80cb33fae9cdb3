import { GrowingBytes, GrowingUint32 } from '../../../arrays/growing-array.js';
import { BLOCK, MANY, type PackedPostings } from '../packed-postings.js';
import type { PackedDictionary } from '../term-dictionary.js';
import { packDictionary } from './pack-dictionary.js';
import { TermTable } from './term-table.js';

/** Fields that a list can have: three bits. */
const MAX_FIELDS = 8;

/** Stands for "no place". */
const NONE = 0xffffffff;

/**
 * Collects where terms stand, document by document, and puts it in the order of terms at the end: a log of what came,
 * and one counting sort, which keeps the documents of each list ascending.
 */
export class PostingsBuilder {
  /** Where {@link add} has the numbers of its terms from. */
  readonly terms: TermTable = new TermTable();

  // The log. Of each field of a document: document, field, number of entries; of each entry: term, frequency, places.
  readonly #runs = new GrowingUint32();
  readonly #entryTerms = new GrowingUint32();
  readonly #entryFrequencies = new GrowingBytes();
  /** The frequencies that a byte does not hold, in the order of the log. */
  readonly #manyFrequencies: number[] = [];
  readonly #positions = new GrowingBytes();
  /** By field and term, as `term * 2`: how many entries, and behind that how many bytes their places take. */
  readonly #counts = Array.from({ length: MAX_FIELDS }, () => new Uint32Array(0));

  // The places of the field that is being read: for each term a chain through `#next`.
  #places = new Uint32Array(1024);
  #spans = new Uint32Array(1024);
  #next = new Uint32Array(1024);
  #placeCount = 0;
  /** Whether the places of each term came in ascending order. */
  #sorted = true;
  /** The first place of each term of the field, and the term. */
  #firstPlaces = new Uint32Array(1024);
  #firstTerms = new Uint32Array(1024);
  #distinct = 0;
  /** By term its last place so far, plus `#base`; less than that where it has none in this field. */
  #lastPlaces = new Uint32Array(1024);
  #base = 1;

  /** Adds one place of a term to the field that is being read. */
  add(term: number, position: number, span: number): void {
    if (term >= this.#lastPlaces.length) this.#growTerms(term);
    const place = this.#placeCount++;
    if (place === this.#places.length) this.#growPlaces();
    this.#places[place] = position;
    this.#spans[place] = span;
    this.#next[place] = NONE;
    const last = this.#lastPlaces[term]! - this.#base;
    if (last >= 0) {
      this.#next[last] = place;
      if (position < this.#places[last]!) this.#sorted = false;
    } else {
      const first = this.#distinct++;
      this.#firstPlaces[first] = place;
      this.#firstTerms[first] = term;
    }
    this.#lastPlaces[term] = this.#base + place;
  }

  /**
   * Ends a field of a document. Documents must come in the order of their numbers.
   *
   * @returns its number of distinct terms
   */
  endField(document: number, field: number): number {
    const distinct = this.#distinct;
    if (distinct === 0) return 0;
    const counts = this.#countsOf(field);
    this.#runs.push(document);
    this.#runs.push(field);
    this.#runs.push(distinct);
    for (let i = 0; i < distinct; i++) {
      const term = this.#firstTerms[i]!;
      const before = this.#positions.length;
      const frequency = this.#pushPlaces(this.#firstPlaces[i]!);
      this.#entryTerms.push(term);
      this.#entryFrequencies.push(Math.min(frequency, MANY));
      if (frequency >= MANY) this.#manyFrequencies.push(frequency);
      const key = term * 2;
      counts[key] = counts[key]! + 1;
      counts[key + 1] = counts[key + 1]! + this.#positions.length - before;
    }
    this.#base += this.#placeCount;
    if (this.#base > 0x7fffffff) {
      this.#lastPlaces.fill(0);
      this.#base = 1;
    }
    this.#placeCount = 0;
    this.#sorted = true;
    this.#distinct = 0;
    return distinct;
  }

  /** @returns how many there are */
  #pushPlaces(first: number): number {
    // A word that is cut short may be equal to the compound that it is the last part of.
    if (!this.#sorted) this.#sortChain(first);
    let count = 0;
    let before = 0;
    for (let place = first; place !== NONE; place = this.#next[place]!) {
      const [position, span] = [this.#places[place]!, this.#spans[place]!];
      this.#positions.pushNumber((position - before) * 2 + (span > 1 ? 1 : 0));
      if (span > 1) this.#positions.pushNumber(span);
      before = position;
      count += 1;
    }
    return count;
  }

  /** Puts the positions and spans of a chain in order; the chain itself stays. */
  #sortChain(first: number): void {
    const chain: number[] = [];
    for (let place = first; place !== NONE; place = this.#next[place]!) chain.push(place);
    const sorted = chain.map((place) => [this.#places[place]!, this.#spans[place]!] as const).sort(([a], [b]) => a - b);
    for (const [i, [position, span]] of sorted.entries()) {
      this.#places[chain[i]!] = position;
      this.#spans[chain[i]!] = span;
    }
  }

  /** Terms are numbered as they are met, and some are added only at the end of a document: one may be far ahead. */
  #growTerms(term: number): void {
    while (term >= this.#lastPlaces.length) this.#lastPlaces = doubled(this.#lastPlaces);
  }

  #countsOf(field: number): Uint32Array {
    const counts = this.#counts[field] as Uint32Array<ArrayBuffer>;
    if (counts.length >= this.terms.size * 2) return counts;
    const larger = new Uint32Array(this.#lastPlaces.length * 2);
    larger.set(counts);
    this.#counts[field] = larger;
    return larger;
  }

  #growPlaces(): void {
    this.#places = doubled(this.#places);
    this.#spans = doubled(this.#spans);
    this.#next = doubled(this.#next);
    this.#firstPlaces = doubled(this.#firstPlaces);
    this.#firstTerms = doubled(this.#firstTerms);
  }

  /** Ends the collecting: nothing can be added from here on. */
  pack(): { readonly dictionary: PackedDictionary; readonly postings: PackedPostings } {
    const { dictionary, numberOf } = packDictionary(this.terms.strings);
    return { dictionary, postings: this.#sort(numberOf) };
  }

  /** @param numberOf the final number of each term */
  #sort(numberOf: Uint32Array): PackedPostings {
    const { entries, bytes, ...lists } = this.#layOut(numberOf);
    // From here on: where the next entry of each term and field goes, and its places.
    const [terms, logFrequencies, log] = [this.#entryTerms.values, this.#entryFrequencies.bytes, this.#positions.bytes];
    const documents = new Uint32Array(entries);
    const frequencies = new Uint8Array(entries);
    const positions = new Uint8Array(bytes);
    const blockStarts = new Uint32Array(Math.ceil(entries / BLOCK));
    const many: [entry: number, frequency: number][] = [];
    const runs = this.#runs.values;
    let [logEntry, logByte] = [0, 0];
    for (let run = 0; run < runs.length; run += 3) {
      const [document, field] = [runs[run]!, runs[run + 1]!];
      const next = this.#counts[field]!;
      for (const end = logEntry + runs[run + 2]!; logEntry < end; logEntry++) {
        const key = terms[logEntry]! * 2;
        const entry = next[key]!;
        next[key] = entry + 1;
        let frequency = logFrequencies[logEntry]!;
        documents[entry] = document;
        frequencies[entry] = frequency;
        if (frequency === MANY) {
          frequency = this.#manyFrequencies[many.length]!;
          many.push([entry, frequency]);
        }
        let to = next[key + 1]!;
        if (entry % BLOCK === 0) blockStarts[entry / BLOCK] = to;
        for (; frequency > 0; frequency--) {
          // Each number ends with its first byte below 128; the lowest bit of a distance says that a span follows.
          let byte = log[logByte++]!;
          positions[to++] = byte;
          let numbers = byte % 2 === 1 ? 2 : 1;
          for (;;) {
            if (byte < 128 && --numbers === 0) break;
            byte = log[logByte++]!;
            positions[to++] = byte;
          }
        }
        next[key + 1] = to;
      }
    }
    many.sort(([a], [b]) => a - b);
    return {
      ...lists,
      documents,
      frequencies,
      manyEntries: Uint32Array.from(many, ([entry]) => entry),
      manyFrequencies: Uint32Array.from(many, ([, frequency]) => frequency),
      positions,
      blockStarts,
    };
  }

  /** Each term and field that occurs becomes a list; counts become where the list's entries and their places begin. */
  #layOut(numberOf: Uint32Array): Pick<PackedPostings, 'listStarts' | 'listFields' | 'entryStarts'> & {
    readonly entries: number;
    readonly bytes: number;
  } {
    const terms = new Uint32Array(numberOf.length);
    for (let term = 0; term < numberOf.length; term++) terms[numberOf[term]!] = term;
    const listStarts = new Uint32Array(numberOf.length + 1);
    const listFields = new GrowingBytes();
    const entryStarts = new GrowingUint32();
    let [entries, bytes] = [0, 0];
    for (let number = 0; number < terms.length; number++) {
      listStarts[number] = listFields.length;
      for (let field = 0; field < MAX_FIELDS; field++) {
        const counts = this.#counts[field]!;
        const key = terms[number]! * 2;
        const count = counts[key];
        // A field may have no array, or one that does not reach the last terms.
        if (count === undefined || count === 0) continue;
        listFields.push(field);
        entryStarts.push(entries);
        counts[key] = entries;
        entries += count;
        const width = counts[key + 1]!;
        counts[key + 1] = bytes;
        bytes += width;
      }
    }
    listStarts[terms.length] = listFields.length;
    entryStarts.push(entries);
    return {
      listStarts,
      listFields: listFields.bytes.slice(),
      entryStarts: entryStarts.values.slice(),
      entries,
      bytes,
    };
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
