import type { VectorPlace } from '../../core/index.js';

/** The vectors of a catalogue as they are stored. */
export interface VectorSet {
  readonly dimensions: number;
  /** Numbers of the vectors in the store, ascending. They stay the same from load to load and are never reused. */
  readonly keys: Float64Array;
  /** The vectors, one after the other, each of unit length. */
  readonly values: Float32Array;
}

/** Short codes of vectors, by place: 0 to `count - 1`. All arrays are in memory that threads can share. */
export interface VectorCodes {
  readonly count: number;
  readonly dimensions: number;
  /** The mean of the vectors, by dimension. */
  readonly mean: Float32Array;
  /**
   * One bit a dimension, 1 if the vector is above the mean there; {@link signWords} words a vector. The mean is needed
   * because all vectors of a model may point roughly one way. Their signs around 0 would all be the same.
   */
  readonly signs: Uint32Array;
  /** One byte a dimension: value = byte * scale. */
  readonly bytes: Int8Array;
  /** One scale a vector. */
  readonly scales: Float32Array;
}

/** Number of 32-bit words for the signs of a vector. */
export function signWords(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Codes that are all zero, to be filled by {@link addToMean} and {@link encode}. */
export function emptyCodes(count: number, dimensions: number): VectorCodes {
  return {
    count,
    dimensions,
    mean: new Float32Array(new SharedArrayBuffer(dimensions * 4)),
    signs: new Uint32Array(new SharedArrayBuffer(count * signWords(dimensions) * 4)),
    bytes: new Int8Array(new SharedArrayBuffer(count * dimensions)),
    scales: new Float32Array(new SharedArrayBuffer(count * 4)),
  };
}

/**
 * Adds some of the vectors to the mean. All vectors must be added before any is encoded.
 *
 * @param from place of the first vector
 * @param to behind the place of the last one
 */
export function addToMean(
  { count, dimensions, mean }: VectorCodes,
  values: Float32Array,
  from: VectorPlace,
  to: VectorPlace,
): void {
  for (let place = from, at = from * dimensions; place < to; place++) {
    for (let i = 0; i < dimensions; i++, at++) mean[i] = mean[i]! + values[at]! / count;
  }
}

/**
 * Encodes some of the vectors.
 *
 * @param from place of the first vector
 * @param to behind the place of the last one
 */
export function encode(codes: VectorCodes, values: Float32Array, from: VectorPlace, to: VectorPlace): void {
  const { dimensions, mean, signs, bytes, scales } = codes;
  const words = signWords(dimensions);
  for (let place = from; place < to; place++) {
    const vector = values.subarray(place * dimensions, (place + 1) * dimensions);
    writeSigns(vector, mean, signs, place * words);
    scales[place] = writeBytes(vector, bytes, place * dimensions);
  }
}

/** Writes the signs of a vector: one bit a value, 1 if it is above the mean. */
export function writeSigns(vector: Float32Array, mean: Float32Array, into: Uint32Array | Int32Array, at: number): void {
  for (let start = 0, word = at; start < vector.length; start += 32, word++) {
    const end = Math.min(start + 32, vector.length);
    let bits = 0;
    for (let i = start; i < end; i++) if (vector[i]! > mean[i]!) bits |= 1 << (i - start);
    into[word] = bits;
  }
}

/** @returns the scale of the bytes */
function writeBytes(vector: Float32Array, into: Int8Array, at: number): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest / 127;
  if (scale > 0) for (let i = 0; i < vector.length; i++) into[at + i] = Math.round(vector[i]! / scale);
  return scale;
}
