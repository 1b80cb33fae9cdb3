import type { DocumentNumber } from '../core/index.js';

/** What {@link DocumentVectors} holds. */
export interface ReadDocumentVectors {
  /** Number of values of a vector. */
  readonly dimensions: number;
  /** The vector of each document, of unit length; documents with the same text share one. Others have none. */
  readonly vectorOf: ReadonlyMap<DocumentNumber, Float32Array>;
  /** Documents that have none because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
}

/** The vectors of some documents, read once for a question. */
export class DocumentVectors {
  readonly damaged: readonly DocumentNumber[];
  readonly #dimensions: number;
  readonly #vectorOf: ReadonlyMap<DocumentNumber, Float32Array>;

  constructor({ dimensions, vectorOf, damaged }: ReadDocumentVectors) {
    this.damaged = damaged;
    this.#dimensions = dimensions;
    this.#vectorOf = vectorOf;
  }

  /** The vector of a document; undefined if it was not read, or there is none. */
  get(document: DocumentNumber): Float32Array | undefined {
    return this.#vectorOf.get(document);
  }

  /** The cosines of each document that has a vector with `vectors`, in their order. */
  cosines(vectors: readonly Float32Array[]): Map<DocumentNumber, readonly number[]> {
    const known = new Map<Float32Array, readonly number[]>();
    const cosines = new Map<DocumentNumber, readonly number[]>();
    for (const [document, own] of this.#vectorOf) {
      let found = known.get(own);
      if (found === undefined) {
        found = vectors.map((vector) => dot(vector, own));
        known.set(own, found);
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
      const own = this.#vectorOf.get(document);
      if (own === undefined) continue;
      for (let i = 0; i < sum.length; i++) sum[i]! += weight * own[i]!;
    }
    const length = Math.sqrt(dot(sum, sum));
    return length < LEAST_LENGTH ? undefined : sum.map((value) => value / length);
  }
}

/** A mean that is shorter points nowhere. */
const LEAST_LENGTH = 1e-6;

/** The dot product of two vectors: the cosine, as both have unit length. */
function dot(vector: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * other[i]!;
  return sum;
}
