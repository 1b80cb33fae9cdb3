import type { VectorPlace } from '../core/index.js';
import { topOf } from '../core/index.js';
import type { VectorIndex, VectorSet } from '../semantic/index.js';
import type { VectorReader } from '../store/index.js';

/**
 * An index of the vectors of a former state, and the few that came since. Those are compared one by one; their places
 * are behind those of the index.
 */
export class GrownVectors {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  readonly dimensions: number;
  readonly #index: VectorIndex;
  readonly #came: VectorSet;
  readonly #stored: VectorReader;

  /** @param came with numbers above those of the index */
  constructor(index: VectorIndex, came: VectorSet, stored: VectorReader) {
    this.keys = new Float64Array(index.size + came.keys.length);
    this.keys.set(index.keys);
    this.keys.set(came.keys, index.size);
    this.dimensions = index.dimensions;
    this.#index = index;
    this.#came = came;
    this.#stored = stored;
  }

  get size(): number {
    return this.keys.length;
  }

  /** See `VectorIndex.nearest`. */
  async nearest(question: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    const former = await this.#index.nearest(question, k, mask?.subarray(0, this.#index.size));
    if (this.#came.keys.length === 0) return former;
    const places: VectorPlace[] = [];
    const cosines: number[] = [];
    const { values } = this.#stored.vectors(
      Array.from(former, (place) => this.keys[place]!),
      this.dimensions,
    );
    for (const [i, place] of former.entries()) {
      places.push(place);
      cosines.push(this.#dot(question, values, i));
    }
    for (let i = 0; i < this.#came.keys.length; i++) {
      const place = this.#index.size + i;
      if (mask !== undefined && mask[place] !== 1) continue;
      places.push(place);
      cosines.push(this.#dot(question, this.#came.values, i));
    }
    const compare = (a: number, b: number): number => cosines[b]! - cosines[a]! || places[a]! - places[b]!;
    return Uint32Array.from(topOf([...places.keys()], compare, 0, k), (i) => places[i]!);
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  #dot(question: Float32Array, values: Float32Array, index: number): number {
    let sum = 0;
    for (let i = 0, at = index * this.dimensions; i < this.dimensions; i++, at++) sum += question[i]! * values[at]!;
    return sum;
  }
}
