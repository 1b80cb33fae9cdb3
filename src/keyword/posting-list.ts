import { DamagedArrayFileError, leapTo, lowerBound, type Pager } from '../core/index.js';
import type { LengthNorms } from './bm25.js';
import { BLOCK, MANY, type PackedPostings, type StoredEntries } from './packed-keywords.js';

/** What posting lists read: the postings as they are stored, or those of a segment by the numbers of the whole. */
export interface ListEntries<Stored extends StoredEntries = StoredEntries> {
  /** Document of each entry; ascending within a list. */
  readonly documents: Uint32Array;
  /** Frequency of each entry, as in {@link PackedPostings}. */
  readonly frequencies: Uint8Array;
  /** Has the frequencies of 255 or more, and the positions. */
  readonly stored: Stored;
}

/** One posting list: the documents that have a term in a field. */
export class PostingList {
  readonly size: number;
  /** First entry of the list. */
  readonly from: number;
  /** Behind the last entry of the list. */
  readonly to: number;
  readonly field: number;
  readonly #entries: ListEntries;
  /** For each stored entry that is left out, ascending, the first entry of the list behind it. */
  readonly #leftOut: Uint32Array | undefined;

  /** The bounds, the field and the documents of the list must have been read, see `IndexTerms`. */
  constructor(entries: ListEntries, from: number, to: number, field: number, leftOut?: Uint32Array) {
    this.#entries = entries;
    this.from = from;
    this.to = to;
    this.size = to - from;
    this.field = field;
    this.#leftOut = leftOut;
  }

  /** The postings that the list is stored in. */
  get stored(): StoredEntries {
    return this.#entries.stored;
  }

  /** Behind the last stored entry of the list. The first one is `from`. */
  get storedTo(): number {
    return this.to + (this.#leftOut?.length ?? 0);
  }

  /** The number that an entry has in {@link stored}. */
  storedEntry(entry: number): number {
    return this.#leftOut === undefined ? entry : entry + lowerBound(this.#leftOut, entry + 1);
  }

  get documents(): Uint32Array {
    return this.#entries.documents.subarray(this.from, this.to);
  }

  /**
   * Adds the frequencies, divided by the length norms, to `amounts`, by document. Documents whose amount was 0
   * are appended to `having`.
   *
   * @param count number of documents in `having` so far
   * @returns number of documents in `having` then
   */
  addAllAmounts(norms: LengthNorms, amounts: Float64Array, having: Uint32Array, count: number): number {
    const { documents, frequencies } = this.#entries;
    const { lengths, byLength } = norms;
    let next = count;
    for (let entry = this.from; entry < this.to; entry++) {
      const document = documents[entry]!;
      const frequency = frequencies[entry]!;
      const before = amounts[document]!;
      const after = before + (frequency === MANY ? this.frequencyOf(entry) : frequency) / byLength[lengths[document]!]!;
      if (before === 0 && after > 0) having[next++] = document;
      amounts[document] = after;
    }
    return next;
  }

  /** Adds the weighted frequencies, divided by the length norms, to `amounts`, beside ascending documents. */
  addAmounts(documents: Uint32Array, { lengths, byLength }: LengthNorms, weight: number, amounts: Float64Array): void {
    this.visitAmong(documents, (place, entry) => {
      amounts[place] = amounts[place]! + (weight * this.frequencyOf(entry)) / byLength[lengths[documents[place]!]!]!;
    });
  }

  /** Visits the documents that are among some ascending ones: by their places there, with their entries. */
  visitAmong(documents: Uint32Array, visit: (place: number, entry: number) => void): void {
    const { documents: listed } = this.#entries;
    const { to } = this;
    let [place, entry] = [0, this.from];
    while (place < documents.length && entry < to) {
      const [document, other] = [documents[place]!, listed[entry]!];
      if (other === document) visit(place++, entry++);
      else if (other < document) entry = leapTo(listed, document, entry, to);
      else place = leapTo(documents, other, place);
    }
  }

  frequencyOf(entry: number): number {
    const frequency = this.#entries.frequencies[entry]!;
    return frequency === MANY ? manyFrequencyOf(this.#entries.stored, this.storedEntry(entry)) : frequency;
  }
}

/** A list of postings as they are stored. */
export function storedList(entries: ListEntries<PackedPostings>, list: number): PostingList {
  const { entryStarts, listFields } = entries.stored;
  return new PostingList(entries, entryStarts[list]!, entryStarts[list + 1]!, listFields[list]!);
}

/** Reads the frequencies of some entries if they are still in the file. */
export function needFrequencies(postings: StoredEntries, from: number, to: number, pager: Pager): void {
  pager.need(postings.manyEntries);
  pager.need(postings.manyFrequencies);
  pager.need(postings.frequencies, from, to);
}

/** Reads the positions of some entries, and the frequencies, if they are still in the file. */
export function needPositions(postings: StoredEntries, from: number, to: number, pager: Pager): void {
  const { blockStarts, positions } = postings;
  const block = Math.floor(from / BLOCK);
  // The block may begin with entries of another list. Their frequencies tell how many positions to skip.
  needFrequencies(postings, block * BLOCK, to, pager);
  const next = Math.ceil(to / BLOCK);
  pager.need(blockStarts, block, Math.min(next + 1, blockStarts.length));
  pager.need(positions, blockStarts[block], blockStarts[next] ?? positions.length);
}

function manyFrequencyOf({ manyEntries, manyFrequencies }: StoredEntries, entry: number): number {
  return manyFrequencies[lowerBound(manyEntries, entry)]!;
}

/** The positions of a term in a text. */
export class Positions {
  /** Number of {@link positions}. */
  to = 0;
  positions: Uint32Array = new Uint32Array(16);
  /** How many positions the term covers at each of {@link positions}. */
  spans: Uint32Array = new Uint32Array(16);

  /** Makes room for so many. */
  reserve(count: number): void {
    if (count <= this.positions.length) return;
    const [positions, spans] = [new Uint32Array(count * 2), new Uint32Array(count * 2)];
    positions.set(this.positions);
    spans.set(this.spans);
    this.positions = positions;
    this.spans = spans;
  }
}

/** Reads positions entry by entry. Fast if the entries are read in ascending order. */
export class PositionReader {
  readonly #postings: StoredEntries;
  /** The entry whose positions begin at `#at`; -1 before the first reading. */
  #entry = -1;
  #at = 0;

  constructor(postings: StoredEntries) {
    this.#postings = postings;
  }

  /** How many positions must be passed over to read those of an entry, these included. */
  costOf(entry: number): number {
    let cost = 0;
    for (let i = this.#startFor(entry); i <= entry; i++) cost += frequencyOf(this.#postings, i);
    return cost;
  }

  /** Appends the positions of an entry. Their block and its frequencies must have been read from the file. */
  read(entry: number, into: Positions): void {
    this.#goTo(entry);
    const bytes = this.#postings.positions;
    const first = into.to;
    const count = first + frequencyOf(this.#postings, entry);
    into.reserve(count);
    const { positions, spans } = into;
    let position = 0;
    for (let i = first; i < count; i++) {
      // Nearly always one byte.
      const byte = bytes[this.#at]!;
      let value = byte;
      if (byte < 128) this.#at += 1;
      else value = this.#readNumber();
      position += value >>> 1;
      positions[i] = position;
      spans[i] = (value & 1) === 1 ? this.#readNumber() : 1;
    }
    into.to = count;
    this.#entry = entry + 1;
  }

  /** The entry to begin with: the present one, or the first of the block where that is nearer. */
  #startFor(entry: number): number {
    const first = entry - (entry % BLOCK);
    return this.#entry > entry || this.#entry < first ? first : this.#entry;
  }

  #goTo(entry: number): void {
    const start = this.#startFor(entry);
    if (start !== this.#entry) {
      this.#entry = start;
      this.#at = this.#postings.blockStarts[start / BLOCK]!;
    }
    for (; this.#entry < entry; this.#entry++) {
      this.#at = endOfPositions(this.#postings.positions, this.#at, frequencyOf(this.#postings, this.#entry));
    }
  }

  #readNumber(): number {
    const bytes = this.#postings.positions;
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[this.#at++];
      // Without this, a list that goes on behind the last byte would never end.
      if (byte === undefined) throw new DamagedArrayFileError('the positions end too early');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
}

function frequencyOf(postings: StoredEntries, entry: number): number {
  const frequency = postings.frequencies[entry]!;
  return frequency === MANY ? manyFrequencyOf(postings, entry) : frequency;
}

/**
 * Where the positions of an entry end in {@link PackedPostings.positions}.
 *
 * @param start where they begin
 * @param frequency number of positions
 */
export function endOfPositions(positions: Uint8Array, start: number, frequency: number): number {
  let at = start;
  for (let left = frequency; left > 0; left--) {
    const hasSpan = (positions[at]! & 1) === 1;
    while (positions[at++]! > 127);
    if (hasSpan) while (positions[at++]! > 127);
  }
  return at;
}

/**
 * Whether a term is a single word anywhere in a list: it does not always cover several positions.
 *
 * @param reader fast for ascending lists
 */
export function standsAlone(list: PostingList, reader: PositionReader = new PositionReader(list.stored)): boolean {
  for (let entry = list.from; entry < list.to; entry++) {
    alone.to = 0;
    reader.read(list.storedEntry(entry), alone);
    for (let i = 0; i < alone.to; i++) if (alone.spans[i] === 1) return true;
  }
  return false;
}

const alone = new Positions();

/** Number of postings in some lists. */
export function sizeOf(lists: readonly PostingList[]): number {
  let size = 0;
  for (let i = 0; i < lists.length; i++) size += lists[i]!.size;
  return size;
}
