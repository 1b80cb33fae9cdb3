import { DamagedArrayFileError } from '../../arrays/pager.js';
import { BLOCK, type PackedPostings } from './packed-postings.js';
import type { PostingList } from './posting-list.js';

/** Texts of a document that may be without any word: behind each, positions have a gap of one. */
const MOST_GAPS = 1 << 20;

/** Reads the positions of one list, entry by entry. Fast if the entries are read in ascending order. */
export class PositionReader {
  readonly #postings: PackedPostings;
  readonly #list: PostingList;
  /** The entry whose positions begin at `#at`; -1 before the first reading. */
  #entry = -1;
  #at = 0;
  /** The entry read last, and its number of positions. */
  #lastEntry = -1;
  #lastCount = 0;
  /** Positions of the entry read last. */
  positions: Uint32Array = new Uint32Array(16);
  /** How many positions the term covers at each of {@link positions}. */
  spans: Uint32Array = new Uint32Array(16);

  constructor(postings: PackedPostings, list: PostingList) {
    list.needPositions();
    this.#postings = postings;
    this.#list = list;
  }

  /**
   * @returns the number of positions; elements of `positions` and `spans` behind that are left from earlier entries
   * @throws {DamagedArrayFileError} if a position is beyond any text: whoever notes it would need any memory
   */
  read(entry: number): number {
    if (entry === this.#lastEntry) return this.#lastCount;
    this.#goTo(entry);
    const bytes = this.#postings.positions;
    const count = this.#list.frequencyOf(entry);
    if (count > this.positions.length) {
      this.positions = new Uint32Array(count * 2);
      this.spans = new Uint32Array(count * 2);
    }
    let position = 0;
    for (let i = 0; i < count; i++) {
      // Nearly always one byte.
      const byte = bytes[this.#at]!;
      let value = byte;
      if (byte < 128) this.#at += 1;
      else value = this.#readNumber();
      position += value >>> 1;
      this.positions[i] = position;
      this.spans[i] = (value & 1) === 1 ? this.#readSpan() : 1;
    }
    // Each position is that of a term, which takes a byte, or a gap.
    if (position > bytes.length + MOST_GAPS) throw new DamagedArrayFileError(`there is no position ${position}`);
    this.#entry = entry + 1;
    this.#lastEntry = entry;
    this.#lastCount = count;
    return count;
  }

  #goTo(entry: number): void {
    const block = Math.floor(entry / BLOCK);
    if (this.#entry > entry || this.#entry < block * BLOCK) {
      this.#entry = block * BLOCK;
      this.#at = this.#postings.blockStarts[block]!;
    }
    for (; this.#entry < entry; this.#entry++) {
      this.#at = endOfPositions(this.#postings.positions, this.#at, this.#list.frequencyOf(this.#entry));
    }
  }

  #readSpan(): number {
    const span = this.#readNumber();
    if (span > this.#postings.positions.length) throw new DamagedArrayFileError(`no term covers ${span} positions`);
    return span;
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
