import type { DocumentNumber } from '../numbers.js';
import type { OpenState } from '../search/open-state.js';

/** The groups of copies of a catalogue, one after the other. */
export class CopyGroups {
  readonly #groupOf: Uint32Array;
  /** All documents, those of a group together, the one with the most stars first. */
  readonly #documents: Uint32Array;
  /** Where the groups begin in `#documents`, and where the last one ends. */
  readonly #starts: number[] = [];
  readonly #preferred = new Map<DocumentNumber, DocumentNumber>();

  constructor({ columns }: OpenState['reader']) {
    const { copyGroup, starRank, size } = columns;
    this.#groupOf = copyGroup;
    this.#documents = Uint32Array.from({ length: size }, (_, document) => document).sort(
      (a, b) => copyGroup[a]! - copyGroup[b]! || starRank[a]! - starRank[b]!,
    );
    for (let i = 0; i < size; i++) {
      const group = this.of(this.#documents[i]!);
      if (this.#preferred.has(group)) continue;
      this.#preferred.set(group, this.#documents[i]!);
      this.#starts.push(i);
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

  /** The document of a group with the most stars: the one that pairs name. */
  preferredOf(group: DocumentNumber): DocumentNumber {
    return this.#preferred.get(group)!;
  }

  /** The documents of the n-th group; the preferred one first. */
  documents(n: number): Uint32Array {
    return this.#documents.subarray(this.#starts[n], this.#starts[n + 1]);
  }
}
