import type { PackedPostings } from './packed-postings.js';
import { PositionReader, Positions } from './position-reader.js';
import type { PostingList } from './posting-list.js';

/** Tells whether terms stand by themselves in some lists of the same postings. Fast in ascending order of the lists. */
export class AloneReader {
  readonly #reader: PositionReader;
  readonly #space = new Positions();

  constructor(postings: PackedPostings) {
    this.#reader = new PositionReader(postings);
  }

  /** Whether a term is a single word anywhere in a list: it does not always cover several positions. */
  standsAlone(list: PostingList): boolean {
    const space = this.#space;
    for (let entry = list.from; entry < list.to; entry++) {
      space.to = 0;
      this.#reader.read(list.storedEntry(entry), space);
      for (let i = 0; i < space.to; i++) if (space.spans[i] === 1) return true;
    }
    return false;
  }
}
