import type { VectorSet } from '../../../src/core/index.js';

/** Numbers that look random and are the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Vectors of unit length in clusters around a common direction, as texts of one field are embedded.
 *
 * @param keys their numbers; 1, 2, 3 and so on where only their count is given
 */
export function randomVectors(keys: number | readonly number[], dimensions: number, seed = 1): VectorSet {
  const numbers = typeof keys === 'number' ? Array.from({ length: keys }, (_, i) => i + 1) : keys;
  const values = new Float32Array(new SharedArrayBuffer(numbers.length * dimensions * 4));
  for (const [place, key] of numbers.entries()) values.set(vectorOf(key, dimensions, seed), place * dimensions);
  return { dimensions, keys: Float64Array.from(numbers), values };
}

/** The same number always has the same vector. */
function vectorOf(key: number, dimensions: number, seed: number): Float32Array {
  const common = randomNumbers(seed);
  const cluster = randomNumbers(seed * 1000 + (key % 17));
  const own = randomNumbers(seed * 1_000_000 + key);
  const vector = Float32Array.from(
    { length: dimensions },
    () => common() - 0.4 + 1.2 * (cluster() - 0.5) + own() - 0.5,
  );
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** One of the vectors, moved a little. */
export function questionNear({ values, dimensions }: VectorSet, place: number, seed = 7): Float32Array {
  const random = randomNumbers(seed + place);
  const vector = values
    .slice(place * dimensions, (place + 1) * dimensions)
    .map((value) => value + 0.05 * (random() - 0.5));
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** Cosine of a question and the vector at a place. */
export function cosineOf({ values, dimensions }: VectorSet, place: number, query: Float32Array): number {
  return query.reduce((sum, value, i) => sum + value * (values[place * dimensions + i] as number), 0);
}

/** Places of the nearest vectors by their exact cosines, nearest first, ties by place. */
export function exactNearest(
  { values, dimensions, keys }: VectorSet,
  query: Float32Array,
  k: number,
  allows: (place: number) => boolean = () => true,
): number[] {
  const cosines = Array.from(keys, (_, place) => {
    let sum = 0;
    for (let i = 0; i < dimensions; i++) sum += (values[place * dimensions + i] as number) * (query[i] as number);
    return sum;
  });
  return [...keys.keys()]
    .filter(allows)
    .sort((a, b) => (cosines[b] as number) - (cosines[a] as number) || a - b)
    .slice(0, k);
}

/** Share of the true nearest that were found. */
export function recallOf(found: ArrayLike<number>, expected: readonly number[]): number {
  const places = new Set(Array.from(found));
  return expected.filter((place) => places.has(place)).length / expected.length;
}
