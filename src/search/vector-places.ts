import type { Pieces, VectorNumber } from '../core/index.js';
import { lowerBound } from '../core/index.js';
import { NO_VECTOR } from '../store/index.js';

/** Vectors between two pieces: a millisecond or so. */
const PIECE = 1 << 13;

/**
 * In pieces, the places of vectors among some vectors: of type `VectorPlace`, or `NO_VECTOR` for those that are not
 * among them.
 *
 * @param numbers of the vectors, in any order; `NO_VECTOR` for none
 * @param keys numbers of the vectors to look among, ascending
 */
export function* vectorPlaces(numbers: ArrayLike<VectorNumber>, keys: Float64Array): Pieces<Int32Array> {
  const places = new Int32Array(numbers.length).fill(NO_VECTOR);
  for (let i = 0; i < numbers.length; i++) {
    if (i % PIECE === 0) yield;
    const place = lowerBound(keys, numbers[i]!);
    if (keys[place] === numbers[i]) places[i] = place;
  }
  return places;
}
