import { lengthPenalty } from './bm25.js';

/** The BM25 length penalties of one field. They depend on the length alone, of which there are few. */
export class LengthPenalties {
  /** By document, in distinct terms. */
  readonly #lengths: Uint32Array;
  readonly #byLength: Float64Array;

  /**
   * @param lengths of the field, by document
   * @param total what they add up to
   * @param greatest of them
   */
  constructor(lengths: Uint32Array, total: number, greatest: number) {
    this.#lengths = lengths;
    const average = total / lengths.length;
    this.#byLength = Float64Array.from({ length: greatest + 1 }, (_, length) => lengthPenalty(length, average));
  }

  of(number: number): number {
    return this.#byLength[this.#lengths[number] as number] as number;
  }
}
