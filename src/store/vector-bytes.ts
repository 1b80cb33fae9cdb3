import { LITTLE_ENDIAN } from '../arrays/byte-order.js';

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
