import type { DocumentNumber } from '../numbers.js';
import type { OpenState } from '../search/open-state.js';

/** The groups of copies of a catalogue, one after the other. */
export class CopyGroups {
  readonly #groupOf: Uint32Array;
  /** All documents, those of a group together, the one with the most stars first. */
  readonly #documents: Uint32Array;
  /** Where the groups begin in `#documents`, and where the last one ends. */
  readonly #starts: number[] = [];

  constructor({ columns }: OpenState['reader']) {
    const { copyGroup, starRank, size } = columns;
    this.#groupOf = copyGroup;
    this.#documents = Uint32Array.from({ length: size }, (_, document) => document).sort(
      (a, b) => copyGroup[a]! - copyGroup[b]! || starRank[a]! - starRank[b]!,
    );
    for (let i = 0; i < size; i++) {
      if (i === 0 || this.of(this.#documents[i]!) !== this.of(this.#documents[i - 1]!)) this.#starts.push(i);
    }
    this.#starts.push(size);
  }

  /** Number of groups. */
  get count(): number {
    return this.#starts.length - 1;
  }

  /** The group of a document, named by one of its documents. */
  of(document: DocumentNumber): DocumentNumber {
    return this.#groupOf[document]!;
  }

  /** The documents of the n-th group; the preferred one first. */
  documents(n: number): Uint32Array {
    return this.#documents.subarray(this.#starts[n], this.#starts[n + 1]);
  }
}
