import { lowerBound } from '../arrays/lower-bound.js';
import type { SkillNumber } from '../numbers.js';
import type { VectorLinks } from '../semantic/nearest/vector-file.js';
import { NO_VECTOR } from '../store/read/catalogue-reader.js';

/** The places of the vectors of some skills, by the links of a vector file; `NO_VECTOR` for a skill without one. */
export function linkedPlaces(numbers: ArrayLike<SkillNumber>, { skills, places }: VectorLinks): Int32Array {
  const found = new Int32Array(numbers.length).fill(NO_VECTOR);
  for (let i = 0; i < numbers.length; i++) {
    const link = lowerBound(skills, numbers[i]!);
    if (skills[link] === numbers[i]) found[i] = places[link]!;
  }
  return found;
}
