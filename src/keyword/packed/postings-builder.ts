import { GrowingBytes, GrowingUint32 } from './growing-array.js';
import { packDictionary } from './pack-dictionary.js';
import { BLOCK, MANY, type PackedPostings } from './packed-postings.js';
import type { PackedDictionary } from './term-dictionary.js';

/** Fields that a list can have: three bits. */
const MAX_FIELDS = 8;

/**
 * Collects where terms stand, document by document, and puts it in the order of terms at the end: a log of what came,
 * and one counting sort, which keeps the documents of each list ascending.
 */
export class PostingsBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  /** Of each entry: term and field as `term * 8 + field`, document, frequency, where its positions begin. */
  readonly #keys = new GrowingUint32();
  readonly #documents = new GrowingUint32();
  readonly #frequencies = new GrowingUint32();
  readonly #positionStarts = new GrowingUint32();
  readonly #positions = new GrowingBytes();

  // The places of the field that is being read: for each term a chain through `#next`.
  readonly #places: number[] = [];
  readonly #spans: number[] = [];
  readonly #next: number[] = [];
  readonly #first = new Map<number, number>();
  readonly #last = new Map<number, number>();

  /** Adds one place of a term to the field that is being read. */
  add(term: string, position: number, span: number): void {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#terms.length;
      const own = detach(term);
      this.#terms.push(own);
      this.#numbers.set(own, number);
    }
    const place = this.#places.length;
    this.#places.push(position);
    this.#spans.push(span);
    this.#next.push(-1);
    const last = this.#last.get(number);
    if (last === undefined) this.#first.set(number, place);
    else this.#next[last] = place;
    this.#last.set(number, place);
  }

  /**
   * Ends a field of a document. Documents must come in the order of their numbers.
   *
   * @returns its number of distinct terms
   */
  endField(document: number, field: number): number {
    const distinct = this.#first.size;
    for (const [term, first] of this.#first) {
      this.#keys.push(term * MAX_FIELDS + field);
      this.#documents.push(document);
      this.#positionStarts.push(this.#positions.length);
      this.#frequencies.push(this.#pushPlaces(first));
    }
    this.#places.length = 0;
    this.#spans.length = 0;
    this.#next.length = 0;
    this.#first.clear();
    this.#last.clear();
    return distinct;
  }

  /** @returns how many there are */
  #pushPlaces(first: number): number {
    const places: number[] = [];
    let ascending = true;
    for (let place = first; place !== -1; place = this.#next[place] as number) {
      if (places.length > 0 && (this.#places[places.at(-1) as number] as number) > (this.#places[place] as number)) {
        ascending = false;
      }
      places.push(place);
    }
    // A word that is cut short may be equal to the compound that it is the last part of.
    if (!ascending) places.sort((a, b) => (this.#places[a] as number) - (this.#places[b] as number));
    let before = 0;
    for (const place of places) {
      const [position, span] = [this.#places[place] as number, this.#spans[place] as number];
      this.#positions.pushNumber((position - before) * 2 + (span > 1 ? 1 : 0));
      if (span > 1) this.#positions.pushNumber(span);
      before = position;
    }
    return places.length;
  }

  pack(): { readonly dictionary: PackedDictionary; readonly postings: PackedPostings } {
    const { dictionary, numberOf } = packDictionary(this.#terms);
    return { dictionary, postings: this.#sort(numberOf) };
  }

  /** @param numberOf the final number of each term */
  #sort(numberOf: Uint32Array): PackedPostings {
    const keys = this.#keys.values;
    // Each term and field that occurs becomes a list.
    const counts = new Uint32Array(numberOf.length * MAX_FIELDS + 1);
    const finalKey = (key: number): number =>
      (numberOf[Math.floor(key / MAX_FIELDS)] as number) * MAX_FIELDS + (key % MAX_FIELDS);
    for (let i = 0; i < keys.length; i++) {
      const key = finalKey(keys[i] as number);
      counts[key] = (counts[key] as number) + 1;
    }
    const listStarts = new Uint32Array(numberOf.length + 1);
    const fields = new GrowingUint32();
    const entryStarts = new GrowingUint32();
    let entries = 0;
    for (let term = 0; term < numberOf.length; term++) {
      listStarts[term] = fields.length;
      for (let field = 0; field < MAX_FIELDS; field++) {
        const key = term * MAX_FIELDS + field;
        const count = counts[key] as number;
        if (count === 0) continue;
        fields.push(field);
        entryStarts.push(entries);
        // From here on: where the next entry of the list goes.
        counts[key] = entries;
        entries += count;
      }
    }
    listStarts[numberOf.length] = fields.length;
    entryStarts.push(entries);

    const order = new Uint32Array(entries);
    for (let i = 0; i < keys.length; i++) {
      const key = finalKey(keys[i] as number);
      const at = counts[key] as number;
      counts[key] = at + 1;
      order[at] = i;
    }
    return {
      listStarts,
      listFields: Uint8Array.from(fields.values),
      entryStarts: entryStarts.values.slice(),
      ...this.#copyEntries(order),
    };
  }

  #copyEntries(order: Uint32Array): Omit<PackedPostings, 'listStarts' | 'listFields' | 'entryStarts'> {
    const [logDocuments, logFrequencies, starts] = [
      this.#documents.values,
      this.#frequencies.values,
      this.#positionStarts.values,
    ];
    const log = this.#positions.bytes;
    const documents = new Uint32Array(order.length);
    const frequencies = new Uint8Array(order.length);
    const manyEntries: number[] = [];
    const manyFrequencies: number[] = [];
    const positions = new Uint8Array(log.length);
    const blockStarts = new Uint32Array(Math.ceil(order.length / BLOCK));
    let at = 0;
    for (let entry = 0; entry < order.length; entry++) {
      const i = order[entry] as number;
      const frequency = logFrequencies[i] as number;
      documents[entry] = logDocuments[i] as number;
      frequencies[entry] = Math.min(frequency, MANY);
      if (frequency >= MANY) {
        manyEntries.push(entry);
        manyFrequencies.push(frequency);
      }
      if (entry % BLOCK === 0) blockStarts[entry / BLOCK] = at;
      const end = i + 1 < starts.length ? (starts[i + 1] as number) : log.length;
      for (let byte = starts[i] as number; byte < end; byte++) positions[at++] = log[byte] as number;
    }
    return {
      documents,
      frequencies,
      manyEntries: Uint32Array.from(manyEntries),
      manyFrequencies: Uint32Array.from(manyFrequencies),
      positions,
      blockStarts,
    };
  }
}

/** A copy of a term. A slice of a text would keep the whole text in memory for as long as the term lives. */
function detach(term: string): string {
  return Buffer.from(term).toString();
}
