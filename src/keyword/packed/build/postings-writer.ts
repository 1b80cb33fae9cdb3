import { GrowingBytes, GrowingUint32 } from '../../../core/index.js';
import { BLOCK, type PackedPostings } from '../packed-postings.js';

/** Writes postings list by list. */
export class PostingsWriter {
  readonly #listStarts = new GrowingUint32();
  readonly #listFields = new GrowingBytes();
  readonly #entryStarts = new GrowingUint32();
  readonly documents: Uint32Array;
  readonly frequencies: Uint8Array;
  readonly #manyEntries: number[] = [];
  readonly #manyFrequencies: number[] = [];
  readonly positions: Uint8Array;
  readonly blockStarts: Uint32Array;
  /** Entries written so far, and bytes of their positions. Whoever writes entries into the arrays updates both. */
  entryCount = 0;
  positionBytes = 0;

  /** @param sources all entries written come from these, each at most once */
  constructor(sources: readonly PackedPostings[]) {
    const entries = sources.reduce((sum, { documents }) => sum + documents.length, 0);
    this.documents = new Uint32Array(entries);
    this.frequencies = new Uint8Array(entries);
    this.positions = new Uint8Array(sources.reduce((sum, { positions }) => sum + positions.length, 0));
    this.blockStarts = new Uint32Array(Math.ceil(entries / BLOCK));
  }

  beginTerm(): void {
    this.#listStarts.push(this.#listFields.length);
  }

  beginList(field: number): void {
    this.#listFields.push(field);
    this.#entryStarts.push(this.entryCount);
  }

  addMany(entry: number, frequency: number): void {
    this.#manyEntries.push(entry);
    this.#manyFrequencies.push(frequency);
  }

  /** Ends the writing. Arrays that are longer than what was written keep their memory. */
  end(): PackedPostings {
    this.#listStarts.push(this.#listFields.length);
    this.#entryStarts.push(this.entryCount);
    return {
      listStarts: this.#listStarts.values.slice(),
      listFields: this.#listFields.bytes.slice(),
      entryStarts: this.#entryStarts.values.slice(),
      documents: this.documents.subarray(0, this.entryCount),
      frequencies: this.frequencies.subarray(0, this.entryCount),
      manyEntries: Uint32Array.from(this.#manyEntries),
      manyFrequencies: Uint32Array.from(this.#manyFrequencies),
      positions: this.positions.subarray(0, this.positionBytes),
      blockStarts: this.blockStarts.subarray(0, Math.ceil(this.entryCount / BLOCK)),
    };
  }
}
