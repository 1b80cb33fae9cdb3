import type { DocumentNumber } from '../numbers.js';

/** What {@link DocumentVectors} holds. */
export interface ReadDocumentVectors {
  /** Vectors of unit length, one after the other. */
  readonly values: Float32Array;
  /** Number of values of a vector. */
  readonly dimensions: number;
  /** Which vector each document has, from 0; documents with the same text share one. Others have none. */
  readonly indexOf: ReadonlyMap<DocumentNumber, number>;
  /** Documents that have none because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
}

/** The vectors of some documents, read once for a question. */
export class DocumentVectors {
  readonly damaged: readonly DocumentNumber[];
  readonly #values: Float32Array;
  readonly #dimensions: number;
  readonly #indexOf: ReadonlyMap<DocumentNumber, number>;

  constructor({ values, dimensions, indexOf, damaged }: ReadDocumentVectors) {
    this.damaged = damaged;
    this.#values = values;
    this.#dimensions = dimensions;
    this.#indexOf = indexOf;
  }

  /** The cosines of each document that has a vector with `vectors`, in their order. */
  cosines(vectors: readonly Float32Array[]): Map<DocumentNumber, readonly number[]> {
    const byIndex = new Map<number, readonly number[]>();
    const cosines = new Map<DocumentNumber, readonly number[]>();
    for (const [document, index] of this.#indexOf) {
      let found = byIndex.get(index);
      if (found === undefined) {
        found = vectors.map((vector) => dot(vector, this.#values, index * this.#dimensions));
        byIndex.set(index, found);
      }
      cosines.set(document, found);
    }
    return cosines;
  }

  /**
   * The mean of some documents' vectors, of unit length; undefined if none has a vector, or they cancel out.
   *
   * @param weights what each document counts, above 0
   */
  mean(weights: ReadonlyMap<DocumentNumber, number>): Float32Array | undefined {
    const sum = new Float32Array(this.#dimensions);
    for (const [document, weight] of weights) {
      const index = this.#indexOf.get(document);
      if (index === undefined) continue;
      const start = index * this.#dimensions;
      for (let i = 0; i < sum.length; i++) sum[i]! += weight * this.#values[start + i]!;
    }
    const length = Math.sqrt(dot(sum, sum, 0));
    return length < LEAST_LENGTH ? undefined : sum.map((value) => value / length);
  }
}

/** A mean that is shorter points nowhere. */
const LEAST_LENGTH = 1e-6;

/** The dot product of a vector and the one that begins at `start`: the cosine, as both have unit length. */
function dot(vector: Float32Array, values: Float32Array, start: number): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * values[start + i]!;
  return sum;
}
