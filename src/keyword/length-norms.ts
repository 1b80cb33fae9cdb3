import type { DocumentNumber } from '../core/index.js';
import { lengthNorm } from './bm25.js';

/** The length norms of one field, see `lengthNorm`. Computed once per length, since there are few different lengths. */
export class LengthNorms {
  /** By document, in distinct terms. */
  readonly #lengths: Uint32Array;
  readonly #byLength: Float64Array;

  /**
   * @param lengths of the field, by document
   * @param total sum of the lengths
   * @param greatest of the lengths
   */
  constructor(lengths: Uint32Array, total: number, greatest: number) {
    this.#lengths = lengths;
    const average = total / lengths.length;
    this.#byLength = Float64Array.from({ length: greatest + 1 }, (_, length) => lengthNorm(length, average));
  }

  of(document: DocumentNumber): number {
    return this.#byLength[this.lengthOf(document)]!;
  }

  /** In distinct terms. */
  lengthOf(document: DocumentNumber): number {
    return this.#lengths[document]!;
  }
}
