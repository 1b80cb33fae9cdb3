import { lowerBound } from '../../arrays/lower-bound.js';
import type { Pager } from '../../arrays/paged-image.js';
import type { LengthNorms } from '../length-norms.js';

/** The arrays of {@link PostingLists}: what a catalogue's terms occur in. */
export interface PackedPostings {
  /** Where the lists of each term begin; one more than there are terms. */
  readonly listStarts: Uint32Array;
  /** Field of each list; those of a term by ascending field. */
  readonly listFields: Uint8Array;
  /** Where the entries of each list begin; one more than there are lists. */
  readonly entryStarts: Uint32Array;
  /** Document of each entry; ascending within a list. */
  readonly documents: Uint32Array;
  /** How often the term stands there; {@link MANY} where that is more than a byte holds. */
  readonly frequencies: Uint8Array;
  /** Entries of more, ascending, and how often. */
  readonly manyEntries: Uint32Array;
  readonly manyFrequencies: Uint32Array;
  /**
   * The places of each entry, one entry after the other: for each the distance from the one before, times two, plus one
   * where the term covers several positions, which are then told. Numbers of 7 bits a byte, the lowest first.
   */
  readonly positions: Uint8Array;
  /** Where in `positions` every {@link BLOCK}-th entry begins. */
  readonly blockStarts: Uint32Array;
}

/** Stands for a frequency of 255 or more. */
export const MANY = 255;

/** Entries of which only the first tells where its positions begin. */
export const BLOCK = 64;

/** One posting list: the documents that have a term in a field. */
export class PostingList {
  readonly size: number;
  readonly #postings: PackedPostings;
  readonly #pager: Pager;
  /** Of all entries, those of this list. */
  readonly from: number;
  readonly to: number;
  readonly field: number;

  constructor(postings: PackedPostings, list: number, pager: Pager) {
    this.#postings = postings;
    this.#pager = pager;
    pager.need(postings.entryStarts, list, list + 2);
    pager.need(postings.listFields, list, list + 1);
    this.from = postings.entryStarts[list]!;
    this.to = postings.entryStarts[list + 1]!;
    this.size = this.to - this.from;
    this.field = postings.listFields[list]!;
    pager.need(postings.documents, this.from, this.to);
  }

  /** To be called before frequencies are asked for. */
  needFrequencies(): this {
    this.#pager.need(this.#postings.manyEntries);
    this.#pager.need(this.#postings.manyFrequencies);
    this.#pager.need(this.#postings.frequencies, this.from, this.to);
    return this;
  }

  /** To be called before places are read. */
  needPositions(): void {
    const { blockStarts, positions } = this.#postings;
    this.needFrequencies();
    const block = Math.floor(this.from / BLOCK);
    // Of the entries in the block before this list's first one, the positions are skipped by their frequencies.
    this.#pager.need(this.#postings.frequencies, block * BLOCK, this.from);
    const next = Math.ceil(this.to / BLOCK);
    this.#pager.need(blockStarts, block, Math.min(next + 1, blockStarts.length));
    this.#pager.need(positions, blockStarts[block], blockStarts[next] ?? positions.length);
  }

  get documents(): Uint32Array {
    return this.#postings.documents.subarray(this.from, this.to);
  }

  /** How often the term stands in a document; undefined where it does not. */
  get(document: number): number | undefined {
    const entry = this.entryOf(document, this.from);
    return entry < this.to && this.#postings.documents[entry] === document ? this.frequencyOf(entry) : undefined;
  }

  forEach(visit: (frequency: number, document: number) => void): void {
    const { documents } = this.#postings;
    for (let entry = this.from; entry < this.to; entry++) visit(this.frequencyOf(entry), documents[entry]!);
  }

  /** Reads both side by side, and leaps where the list lags behind. */
  addAmounts(documents: Uint32Array, norms: LengthNorms, weight: number, into: Float64Array): void {
    const { documents: listed } = this.#postings;
    let entry = this.from;
    let i = 0;
    while (i < documents.length && entry < this.to) {
      const document = documents[i]!;
      const other = listed[entry]!;
      if (other === document) {
        into[i] = into[i]! + (weight * this.frequencyOf(entry)) / norms.of(document);
        i += 1;
        entry += 1;
      } else if (other < document) entry = this.entryOf(document, entry);
      else i += 1;
    }
  }

  documentAt(entry: number): number {
    return this.#postings.documents[entry]!;
  }

  frequencyOf(entry: number): number {
    const frequency = this.#postings.frequencies[entry]!;
    return frequency === MANY ? manyFrequency(this.#postings, entry) : frequency;
  }

  /**
   * The first entry of a document or of one behind it; `to` where there is none. Looks in steps that double: quick for
   * documents that ascend.
   *
   * @param least an entry that is not behind it
   */
  entryOf(document: number, least: number): number {
    const { documents } = this.#postings;
    let low = least;
    let step = 1;
    while (low + step < this.to && documents[low + step]! < document) {
      low += step;
      step *= 2;
    }
    return lowerBound(documents, document, low, Math.min(low + step, this.to));
  }
}

function manyFrequency({ manyEntries, manyFrequencies }: PackedPostings, entry: number): number {
  return manyFrequencies[lowerBound(manyEntries, entry)]!;
}

/** Reads where the term of one list stands, entry by entry: quick for entries that ascend. */
export class PositionReader {
  readonly #postings: PackedPostings;
  readonly #list: PostingList;
  /** The entry whose places come next, and where they begin; none before the first reading. */
  #entry = -1;
  #at = 0;
  /** The entry read last, and how many places it has. */
  #last = -1;
  #count = 0;
  /** Places of the entry read last, and how many positions the term covers at each. */
  places: Uint32Array = new Uint32Array(16);
  spans: Uint32Array = new Uint32Array(16);

  constructor(postings: PackedPostings, list: PostingList) {
    list.needPositions();
    this.#postings = postings;
    this.#list = list;
  }

  /** @returns how many places there are; what stands behind them in `places` is left over from before */
  read(entry: number): number {
    if (entry === this.#last) return this.#count;
    this.#goTo(entry);
    const { positions } = this.#postings;
    const count = this.#list.frequencyOf(entry);
    if (count > this.places.length) {
      this.places = new Uint32Array(count * 2);
      this.spans = new Uint32Array(count * 2);
    }
    let place = 0;
    for (let i = 0; i < count; i++) {
      // Nearly always one byte.
      const byte = positions[this.#at]!;
      let value = byte;
      if (byte < 128) this.#at += 1;
      else value = this.#next();
      place += value >>> 1;
      this.places[i] = place;
      this.spans[i] = (value & 1) === 1 ? this.#next() : 1;
    }
    this.#entry = entry + 1;
    this.#last = entry;
    this.#count = count;
    return count;
  }

  #goTo(entry: number): void {
    const block = Math.floor(entry / BLOCK);
    if (this.#entry > entry || this.#entry < block * BLOCK) {
      this.#entry = block * BLOCK;
      this.#at = this.#postings.blockStarts[block]!;
    }
    for (; this.#entry < entry; this.#entry++) this.#skip(this.#list.frequencyOf(this.#entry));
  }

  #skip(places: number): void {
    const { positions } = this.#postings;
    for (let i = 0; i < places; i++) {
      const spanned = (positions[this.#at]! & 1) === 1;
      while (positions[this.#at++]! > 127);
      if (spanned) while (positions[this.#at++]! > 127);
    }
  }

  #next(): number {
    const { positions } = this.#postings;
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = positions[this.#at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
}
