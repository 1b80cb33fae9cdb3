import { CENTRES, PART, PARTS, WORD_DIMENSIONS } from '../../src/agents/hook/word-table.js';
import { fnv1a } from '../../src/core/index.js';
import { randomNumbers } from '../../src/evaluation/compare.js';

const STEPS = 15;

/**
 * The file of `src/hook/word-table.ts`: of each word its hash, and for each four values of its vector which of 256
 * vectors of four values is the nearest (product quantisation: H. Jégou, M. Douze and C. Schmid, 2011).
 *
 * @param vectors one behind another
 */
export function packWordTable(words: readonly string[], vectors: Float32Array): Buffer {
  const order = words.map((word, place) => ({ hash: fnv1a(word), place })).sort((a, b) => a.hash - b.hash);
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const values = new Float32Array(words.length * PART);
    for (let w = 0; w < words.length; w++) {
      const from = w * WORD_DIMENSIONS + part * PART;
      values.set(vectors.subarray(from, from + PART), w * PART);
    }
    return nearestCentres(values);
  });
  const greatest = Math.max(...parts.map(({ centres }) => centres.reduce((most, v) => Math.max(most, Math.abs(v)), 0)));
  const scale = greatest / 127;
  const file = Buffer.alloc(8 + PARTS * CENTRES * PART + words.length * (4 + PARTS));
  let at = file.writeFloatLE(scale, 0);
  at = file.writeUInt32LE(words.length, at);
  for (const { centres } of parts) for (const value of centres) at = file.writeInt8(Math.round(value / scale), at);
  for (const { hash } of order) at = file.writeUInt32LE(hash, at);
  for (const { place } of order) for (const { codes } of parts) at = file.writeUInt8(codes[place]!, at);
  return file;
}

/** By k-means, from centres drawn by chance. */
function nearestCentres(values: Float32Array): { readonly centres: Float32Array; readonly codes: Uint8Array } {
  const random = randomNumbers(19);
  const count = values.length / PART;
  const centres = new Float32Array(CENTRES * PART);
  for (let c = 0; c < CENTRES; c++) {
    const from = Math.floor(random() * count) * PART;
    centres.set(values.subarray(from, from + PART), c * PART);
  }
  const codes = new Uint8Array(count);
  for (let step = 0; step <= STEPS; step++) {
    for (let i = 0; i < count; i++) codes[i] = nearestTo(values.subarray(i * PART, (i + 1) * PART), centres);
    if (step === STEPS) break;
    const sums = new Float64Array(centres.length);
    const sizes = new Float64Array(CENTRES);
    for (let i = 0; i < count; i++) {
      const code = codes[i]!;
      sizes[code] = sizes[code]! + 1;
      for (let k = 0; k < PART; k++) sums[code * PART + k] = sums[code * PART + k]! + values[i * PART + k]!;
    }
    for (let i = 0; i < centres.length; i++) {
      const size = sizes[Math.floor(i / PART)]!;
      if (size > 0) centres[i] = sums[i]! / size;
    }
  }
  return { centres, codes };
}

function nearestTo(value: Float32Array, centres: Float32Array): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let c = 0; c < CENTRES; c++) {
    let far = 0;
    for (let k = 0; k < PART; k++) far += (value[k]! - centres[c * PART + k]!) ** 2;
    if (far < least) [best, least] = [c, far];
  }
  return best;
}
