import { lengthNorm } from './bm25.js';

/** What frequencies of one field are divided by, see `lengthNorm`. It depends on the length alone, of which there are few. */
export class LengthNorms {
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
    this.#byLength = Float64Array.from({ length: greatest + 1 }, (_, length) => lengthNorm(length, average));
  }

  of(number: number): number {
    return this.#byLength[this.lengthOf(number)]!;
  }

  /** In distinct terms. */
  lengthOf(number: number): number {
    return this.#lengths[number]!;
  }
}
