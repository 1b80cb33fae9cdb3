import type { Pieces } from '../arrays/all-pieces.js';
import { lowerBound } from '../arrays/lower-bound.js';
import type { SkillNumber } from '../numbers.js';
import type { VectorLinks } from '../semantic/nearest/vector-file.js';
import { NO_VECTOR } from '../store/read/catalogue-reader.js';

/** Skills between two pieces: a millisecond or so. */
const PIECE = 1 << 13;

/** In pieces, the places of the vectors of some skills, by the links of a vector file; `NO_VECTOR` for a skill without one. */
export function* linkedPlaces(numbers: ArrayLike<SkillNumber>, { skills, places }: VectorLinks): Pieces<Int32Array> {
  const found = new Int32Array(numbers.length).fill(NO_VECTOR);
  for (let i = 0; i < numbers.length; i++) {
    if (i % PIECE === 0) yield;
    const link = lowerBound(skills, numbers[i]!);
    if (skills[link] === numbers[i]) found[i] = places[link]!;
  }
  return found;
}
