import { LITTLE_ENDIAN } from '../core/index.js';

/** Encodes a vector as 32-bit floats, little-endian. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32();
}

/**
 * Decodes what {@link encodeVector} wrote into a part of a larger array.
 *
 * @param at index of the first value
 */
export function decodeVector(bytes: Buffer, into: Float32Array, at: number): void {
  const target = Buffer.from(into.buffer, into.byteOffset + at * 4, bytes.length);
  bytes.copy(target);
  if (!LITTLE_ENDIAN) target.swap32();
}

/** How far the square of the length of a vector of 32-bit floats may be from 1. */
const TOLERANCE = 1e-3;

/** Whether a value is the bytes of a vector of unit length. */
export function hasUnitLength(embedding: unknown, dimensions: number): boolean {
  if (!Buffer.isBuffer(embedding) || embedding.length !== dimensions * 4) return false;
  const vector = new Float32Array(dimensions);
  decodeVector(embedding, vector, 0);
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.abs(square - 1) < TOLERANCE;
}
