import { lengthPenalty } from './bm25.js';

/** The BM25 length penalties of one field. They depend on the length alone, of which there are few. */
export class LengthPenalties {
  /** By document, in distinct terms. */
  readonly #lengths: Uint32Array;
  readonly #byLength: Float64Array;

  /** @param lengths of the field, by document */
  constructor(lengths: Uint32Array) {
    this.#lengths = lengths;
    let [total, longest] = [0, 0];
    for (let number = 0; number < lengths.length; number++) {
      const length = lengths[number] as number;
      total += length;
      if (length > longest) longest = length;
    }
    const average = total / lengths.length;
    this.#byLength = Float64Array.from({ length: longest + 1 }, (_, length) => lengthPenalty(length, average));
  }

  of(number: number): number {
    return this.#byLength[this.#lengths[number] as number] as number;
  }
}
