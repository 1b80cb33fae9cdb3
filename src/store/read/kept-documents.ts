import type { DocumentNumber } from '../../core/index.js';

/** Documents of which something is kept: with 8,192 of 600 bytes some 5 MB. A power of two. */
const SLOTS = 8192;

/** What takes more characters than this is not kept, so that all together take 32 MB at most. */
const LONGEST = 2048;

/**
 * What was read of documents and checked lately. Questions of a day have many of their skills in common, and checking a
 * record takes as long as reading it. Each document has one slot, which the latest of its documents takes.
 */
export class KeptDocuments<Value> {
  readonly #documents = new Int32Array(SLOTS).fill(-1);
  readonly #values: (Value | undefined)[] = new Array(SLOTS).fill(undefined);

  get(document: DocumentNumber): Value | undefined {
    const slot = document & (SLOTS - 1);
    return this.#documents[slot] === document ? this.#values[slot] : undefined;
  }

  /** @param length of its texts in characters */
  keep(document: DocumentNumber, value: Value, length: number): void {
    if (length > LONGEST) return;
    const slot = document & (SLOTS - 1);
    this.#documents[slot] = document;
    this.#values[slot] = value;
  }
}
