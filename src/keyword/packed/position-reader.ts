import { DamagedArrayFileError } from '../../core/index.js';
import { BLOCK, MANY, type PackedPostings } from './packed-postings.js';
import { manyFrequencyOf } from './posting-list.js';

/** Texts of a document that may be without any word: behind each, positions have a gap of one. */
const MOST_GAPS = 1 << 20;

/** The positions of a term in a text. */
export class Positions {
  /** The first of {@link positions} that counts. */
  from = 0;
  /** Behind the last of {@link positions} that counts. */
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
  readonly #postings: PackedPostings;
  /** The entry whose positions begin at `#at`; -1 before the first reading. */
  #entry = -1;
  #at = 0;

  constructor(postings: PackedPostings) {
    this.#postings = postings;
  }

  /** How many positions must be passed over to read those of an entry, these included. */
  costOf(entry: number): number {
    let cost = 0;
    for (let i = this.#startFor(entry); i <= entry; i++) cost += frequencyOf(this.#postings, i);
    return cost;
  }

  /**
   * Appends the positions of an entry. Their block and its frequencies must have been read from the file.
   *
   * @throws {DamagedArrayFileError} if a position is beyond any text: whoever notes it would need any memory
   */
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
      spans[i] = (value & 1) === 1 ? this.#readSpan() : 1;
    }
    // Each position is that of a term, which takes a byte, or a gap.
    if (position > bytes.length + MOST_GAPS) throw new DamagedArrayFileError(`there is no position ${position}`);
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

function frequencyOf(postings: PackedPostings, entry: number): number {
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
