import type { Pieces, SkillNumber } from '../core/index.js';
import { lowerBound } from '../core/index.js';
import type { VectorLinks } from '../semantic/index.js';
import { NO_VECTOR } from '../store/index.js';

/** Numbers of skills up to so many times as many as there are links are looked up in a table of all numbers. */
const SPARSE = 8;

/** Skills between two pieces: a millisecond or so. */
const PIECE = 1 << 13;

/**
 * In pieces, the places of the vectors of some skills, by the links of a vector file; `NO_VECTOR` for a skill without
 * one.
 */
export function* linkedPlaces(numbers: ArrayLike<SkillNumber>, links: VectorLinks): Pieces<Int32Array> {
  const { skills, places } = links;
  const found = new Int32Array(numbers.length).fill(NO_VECTOR);
  const table = tableOf(links);
  for (let i = 0; i < numbers.length; i++) {
    if (i % PIECE === 0) yield;
    const number = numbers[i]!;
    if (table !== undefined) {
      if (number < table.length) found[i] = table[number]!;
      continue;
    }
    const link = lowerBound(skills, number);
    if (skills[link] === number) found[i] = places[link]!;
  }
  return found;
}

/**
 * By the number of a skill its place. Undefined if the numbers are too far apart: a catalogue may have lost most
 * skills.
 */
function tableOf({ skills, places }: VectorLinks): Int32Array | undefined {
  const greatest = Math.max(0, skills[skills.length - 1] ?? 0);
  if (greatest > SPARSE * skills.length) return undefined;
  const table = new Int32Array(greatest + 1).fill(NO_VECTOR);
  for (let link = 0; link < skills.length; link++) table[skills[link]!] = places[link]!;
  return table;
}
