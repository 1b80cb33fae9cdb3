import { countBits, countBitsByFour, type Pieces, type VectorPlace, type VectorSet } from '../../core/index.js';

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
function signWords(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Vectors encoded in one piece: a few milliseconds. */
const ENCODED_PER_PIECE = 500;

/** The codes of vectors. All are added to the mean before any is encoded. */
export function* encodeVectors({ keys, dimensions, values }: VectorSet): Pieces<VectorCodes> {
  const codes = emptyCodes(keys.length, dimensions);
  for (const step of [addToMean, encode]) {
    for (let from = 0; from < keys.length; from += ENCODED_PER_PIECE) {
      step(codes, values, from, Math.min(from + ENCODED_PER_PIECE, keys.length));
      yield;
    }
  }
  return codes;
}

/** Codes that are all zero, to be filled by {@link addToMean} and {@link encode}. */
function emptyCodes(count: number, dimensions: number): VectorCodes {
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
 * Adds some of the vectors to the mean.
 *
 * @param from place of the first vector
 * @param to behind the place of the last one
 */
function addToMean(
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
function encode(codes: VectorCodes, values: Float32Array, from: VectorPlace, to: VectorPlace): void {
  const { dimensions, mean, signs, bytes, scales } = codes;
  const words = signWords(dimensions);
  for (let place = from; place < to; place++) {
    const vector = values.subarray(place * dimensions, (place + 1) * dimensions);
    writeSigns(vector, mean, signs, place * words);
    scales[place] = writeBytes(vector, bytes, place * dimensions);
  }
}

/** Writes the signs of a vector: one bit a value, 1 if it is above the mean. */
function writeSigns(vector: Float32Array, mean: Float32Array, into: Uint32Array | Int32Array, at: number): void {
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

/**
 * Vectors that the first pass keeps for each one that is wanted. Measured over 94,254 skills and 250 questions, 100
 * results each:
 *
 *     vectors kept   recall@10   recall@100
 *     1,500          .999        .964
 *     2,500          .999        .982
 *     4,000          1           .989
 *
 * With 2,500 the second pass takes as long as the first.
 */
const KEPT_PER_RESULT = 25;

/**
 * Values that the second pass reads at least: about 2,600 vectors of 384 dimensions. With fewer dimensions, signs say
 * less about a vector, and more vectors can be read in the same time.
 */
const MIN_VALUES_READ = 1_000_000;

/** Vectors whose signs, and whose bytes, one piece reads: about a millisecond, once the code is compiled. */
const SIGNS_PER_PIECE = 16_384;
const BYTES_PER_PIECE = 1024;

/**
 * Finds the vectors nearest to that of a question. Looks at all vectors in two passes: the first keeps those with the
 * smallest Hamming distance of their signs, the second ranks these by the dot product with their bytes (8-bit
 * quantisation). Both are approximations, so the caller should score the results exactly. Comes in pieces of about a
 * millisecond.
 *
 * @param question vector of unit length
 * @param k number of results, at most
 * @param mask one byte a vector: 0 if it must not be found, else 1
 * @returns places, nearest first; ties in the order of places
 */
export function* scanCodes(
  codes: VectorCodes,
  question: Float32Array,
  k: number,
  mask?: Uint8Array,
): Pieces<Uint32Array> {
  const kept = Math.max(Math.ceil(MIN_VALUES_READ / codes.dimensions), KEPT_PER_RESULT * k);
  const allowed = countAllowed(codes.count, mask);
  yield;
  const places =
    allowed <= kept ? allowedPlaces(codes.count, allowed, mask) : yield* nearestBySigns(codes, question, kept, mask);
  yield;
  return yield* nearestByBytes(codes, question, places, k);
}

/** How many of the vectors a mask allows. */
export function countAllowed(count: number, mask: Uint8Array | undefined): number {
  if (mask === undefined) return count;
  let allowed = 0;
  for (let place = 0; place < count; place++) allowed += mask[place]!;
  return allowed;
}

function allowedPlaces(count: number, allowed: number, mask: Uint8Array | undefined): Uint32Array {
  const places = new Uint32Array(allowed);
  let next = 0;
  for (let place = 0; place < count; place++) if (mask === undefined || mask[place] === 1) places[next++] = place;
  return places;
}

/** The places with the smallest Hamming distances, ascending. At least `wanted` places must be allowed. */
function* nearestBySigns(
  codes: VectorCodes,
  question: Float32Array,
  wanted: number,
  mask: Uint8Array | undefined,
): Pieces<Uint32Array> {
  const { count, dimensions } = codes;
  const asked = new Int32Array(signWords(dimensions));
  writeSigns(question, codes.mean, asked, 0);
  const distances = new Uint16Array(count);
  for (let from = 0; from < count; from += SIGNS_PER_PIECE) {
    addDistances(codes, asked, distances, from, Math.min(from + SIGNS_PER_PIECE, count));
    yield;
  }
  // Masked vectors get the largest distance.
  const tooFar = dimensions + 1;
  if (mask !== undefined) for (let place = 0; place < count; place++) if (mask[place] === 0) distances[place] = tooFar;
  // Distances are small integers, so counting them gives the largest that is still wanted.
  yield;
  const counts = new Uint32Array(tooFar + 1);
  for (let place = 0; place < count; place++) {
    const distance = distances[place]!;
    counts[distance] = counts[distance]! + 1;
  }
  let nearer = 0;
  let limit = 0;
  while (nearer + counts[limit]! < wanted) nearer += counts[limit++]!;
  let atLimit = wanted - nearer;
  yield;

  const places = new Uint32Array(wanted);
  let next = 0;
  for (let place = 0; next < wanted; place++) {
    const distance = distances[place]!;
    if (distance > limit || (distance === limit && atLimit-- <= 0)) continue;
    places[next++] = place;
  }
  return places;
}

/**
 * Writes the Hamming distances of some vectors' signs to those of the question. Counts the bits of three words
 * together: the sum of three counts by four bits still fits into four bits, which saves two thirds of the steps that
 * follow in {@link countBits}.
 */
function addDistances(
  { signs }: VectorCodes,
  asked: Int32Array,
  distances: Uint16Array,
  from: number,
  to: number,
): void {
  const words = asked.length;
  const inThrees = words - (words % 3);
  // The operators below work on signed numbers. Unsigned words would be converted one by one.
  const stored = new Int32Array(signs.buffer, signs.byteOffset, signs.length);
  for (let place = from, at = from * words; place < to; place++) {
    // Two sums, one in each 16 bits.
    let sums = 0;
    let word = 0;
    for (; word < inThrees; word += 3, at += 3) {
      const byFour =
        countBitsByFour(stored[at]! ^ asked[word]!) +
        countBitsByFour(stored[at + 1]! ^ asked[word + 1]!) +
        countBitsByFour(stored[at + 2]! ^ asked[word + 2]!);
      const byEight = (byFour & 0x0f0f0f0f) + ((byFour >>> 4) & 0x0f0f0f0f);
      sums += (byEight & 0x00ff00ff) + ((byEight >>> 8) & 0x00ff00ff);
    }
    for (; word < words; word++, at++) sums += countBits(stored[at]! ^ asked[word]!);
    distances[place] = (sums & 0xffff) + (sums >>> 16);
  }
}

/** The `k` of some places with the greatest dot products of question and bytes. */
function* nearestByBytes(
  codes: VectorCodes,
  question: Float32Array,
  places: Uint32Array,
  k: number,
): Pieces<Uint32Array> {
  const asked = toIntegers(question);
  const scores = new Float64Array(places.length);
  for (let from = 0; from < places.length; from += BYTES_PER_PIECE) {
    addScores(codes, asked, places, scores, from, Math.min(from + BYTES_PER_PIECE, places.length));
    yield;
  }
  const wanted = Math.min(k, places.length);
  if (wanted === 0) return new Uint32Array();
  // Sorting plain numbers is much faster than sorting by a comparison function, so that only sorts the best.
  const least = scores.slice().sort()[places.length - wanted]!;
  const best: number[] = [];
  for (let i = 0; i < places.length; i++) if (scores[i]! >= least) best.push(i);
  best.sort((a, b) => scores[b]! - scores[a]! || a - b);
  return Uint32Array.from(best.slice(0, wanted), (i) => places[i]!);
}

/** Writes the dot products of the question and the bytes of some places. */
function addScores(
  { dimensions, bytes, scales }: VectorCodes,
  { values: asked, scale }: IntegerVector,
  places: Uint32Array,
  scores: Float64Array,
  from: number,
  to: number,
): void {
  const inFours = dimensions - (dimensions % 4);
  for (let i = from; i < to; i++) {
    const place = places[i]!;
    let at = place * dimensions;
    // Two sums that do not depend on each other: the processor computes them in parallel.
    let [even, odd] = [0, 0];
    let d = 0;
    for (; d < inFours; d += 4, at += 4) {
      even = (even + Math.imul(asked[d]!, bytes[at]!) + Math.imul(asked[d + 2]!, bytes[at + 2]!)) | 0;
      odd = (odd + Math.imul(asked[d + 1]!, bytes[at + 1]!) + Math.imul(asked[d + 3]!, bytes[at + 3]!)) | 0;
    }
    for (; d < dimensions; d++, at++) even = (even + Math.imul(asked[d]!, bytes[at]!)) | 0;
    scores[i] = (even + odd) * scale * scales[place]!;
  }
}

/** Largest integer of a question, unless sums of its products with bytes could reach 2^31. */
const MAX_INTEGER = 2047;

interface IntegerVector {
  readonly values: Int32Array;
  readonly scale: number;
}

/**
 * The vector of a question in integers: value = integer * scale. Multiplying integers with bytes is twice as fast as
 * multiplying floating-point numbers, and 12 bits do not change the results.
 */
function toIntegers(question: Float32Array): IntegerVector {
  let largest = 0;
  for (let i = 0; i < question.length; i++) largest = Math.max(largest, Math.abs(question[i]!));
  const most = Math.min(MAX_INTEGER, Math.floor(2 ** 31 / (128 * question.length)));
  const scale = largest === 0 ? 1 : largest / most;
  return { values: Int32Array.from(question, (value) => Math.round(value / scale)), scale };
}

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
