import type { VectorPlace } from '../../core/index.js';
import type { VectorCodes } from './vector-codes.js';

interface KeyedCodes {
  /** Numbers of the vectors, ascending. */
  readonly keys: Float64Array;
  readonly codes: VectorCodes;
}

/** Whether each key of both sets has the same code in both. The dimensions must be equal. */
export function sameVectors(a: KeyedCodes, b: KeyedCodes): boolean {
  for (let i = 0, j = 0; i < a.keys.length && j < b.keys.length; ) {
    const difference = a.keys[i]! - b.keys[j]!;
    if (difference === 0 && !sameCode(a.codes, i, b.codes, j)) return false;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return true;
}

function sameCode(a: VectorCodes, i: VectorPlace, b: VectorCodes, j: VectorPlace): boolean {
  if (a.scales[i] !== b.scales[j]) return false;
  const { dimensions } = a;
  for (let d = 0; d < dimensions; d++) if (a.bytes[i * dimensions + d] !== b.bytes[j * dimensions + d]) return false;
  return true;
}
