/** The vectors of a catalogue, as the store has them. */
export interface VectorSet {
  readonly dimensions: number;
  /** Their numbers in the store, ascending: stable from load to load, never given again. */
  readonly keys: Float64Array;
  /** The vectors one after the other, each of unit length. */
  readonly values: Float32Array;
}

/**
 * Short codes of vectors, which are addressed by their places, 0 to `count - 1`. All arrays lie in memory that threads
 * can share.
 *
 * - `mean`: the mean of the vectors, by dimension
 * - `signs`: one bit a dimension, 1 where the vector is above the mean, `ceil(dimensions / 32)` words a vector. Around 0
 *   they would say nothing of the vectors of a model all of which point one way.
 * - `bytes`: one byte a dimension, of which `scales` holds the unit: value = byte * scale
 */
export interface VectorCodes {
  readonly count: number;
  readonly dimensions: number;
  readonly mean: Float32Array;
  readonly signs: Uint32Array;
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
}

/** 32-bit words that the signs of a vector take. */
export function signWords(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Room for the codes of so many vectors. */
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
 * Adds the share of some of the vectors to the mean. All of them must be in it before any is encoded.
 *
 * @param from place of the first
 * @param to place after the last
 */
export function addToMean(
  { count, dimensions, mean }: VectorCodes,
  values: Float32Array,
  from: number,
  to: number,
): void {
  for (let place = from, at = from * dimensions; place < to; place++) {
    for (let i = 0; i < dimensions; i++, at++) mean[i] = mean[i]! + values[at]! / count;
  }
}

/**
 * Encodes some of the vectors.
 *
 * @param from place of the first
 * @param to place after the last
 */
export function encode(codes: VectorCodes, values: Float32Array, from: number, to: number): void {
  const { dimensions, mean, signs, bytes, scales } = codes;
  const words = signWords(dimensions);
  for (let place = from; place < to; place++) {
    const vector = values.subarray(place * dimensions, (place + 1) * dimensions);
    writeSigns(vector, mean, signs, place * words);
    scales[place] = writeBytes(vector, bytes, place * dimensions);
  }
}

/** One bit a value, 1 where it is above the mean. */
export function writeSigns(vector: Float32Array, mean: Float32Array, into: Uint32Array | Int32Array, at: number): void {
  for (let start = 0, word = at; start < vector.length; start += 32, word++) {
    const end = Math.min(start + 32, vector.length);
    let bits = 0;
    for (let i = start; i < end; i++) if (vector[i]! > mean[i]!) bits |= 1 << (i - start);
    into[word] = bits;
  }
}

/** @returns the unit of the bytes */
function writeBytes(vector: Float32Array, into: Int8Array, at: number): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest / 127;
  if (scale > 0) for (let i = 0; i < vector.length; i++) into[at + i] = Math.round(vector[i]! / scale);
  return scale;
}
