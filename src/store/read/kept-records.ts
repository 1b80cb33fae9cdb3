import type { DocumentNumber } from '../../numbers.js';

/** Records that are kept: with 8,192 of 600 bytes some 5 MB. A power of two. */
const SLOTS = 8192;

/** Longer records are not kept, so that all together take 32 MB at most. */
const LONGEST = 2048;

/**
 * Records that were read and checked lately. Questions of a day have many of their skills in common, and checking a
 * record takes as long as reading it. Each document has one slot, which the latest of its documents takes.
 */
export class KeptRecords {
  readonly #documents = new Int32Array(SLOTS).fill(-1);
  readonly #records: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  get(document: DocumentNumber): string | undefined {
    const slot = document & (SLOTS - 1);
    return this.#documents[slot] === document ? this.#records[slot] : undefined;
  }

  keep(document: DocumentNumber, record: string): void {
    if (record.length > LONGEST) return;
    const slot = document & (SLOTS - 1);
    this.#documents[slot] = document;
    this.#records[slot] = record;
  }
}
