import type { VectorNumber } from '../../core/index.js';

/**
 * The slice of a vector, from 0. It depends on the number of the vector alone, so a vector stays in its slice from load
 * to load. Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): slices are of about
 * the same size, also where numbers are far apart by the same step.
 *
 * @param slices number of slices, 1 to 65,536
 */
export function sliceOf(key: VectorNumber, slices: number): number {
  return ((Math.imul(key, 0x9e3779b1) >>> 16) * slices) >>> 16;
}

/** The keys of each slice, in the order in which they are given. */
export function keysBySlice(keys: Float64Array, slices: number): Float64Array[] {
  if (slices === 1) return [keys];
  return Array.from({ length: slices }, (_, slice) => keys.filter((key) => sliceOf(key, slices) === slice));
}

/**
 * Number of results to ask of each slice, so that their union has the nearest `k` of all. A slice has a share of these
 * as chance has it: this is six standard deviations above the mean.
 */
export function wantedOfSlice(k: number, slices: number): number {
  const mean = k / slices;
  return Math.min(k, Math.ceil(mean + 6 * Math.sqrt(mean)));
}
