import { randomNumbers } from '../../src/evaluation/compare.js';

const STEPS = 60;

/**
 * The directions in which vectors differ most, by subspace iteration: `count` rows of unit length, at right angles.
 *
 * @param vectors one behind another, of mean 0
 */
export function principalAxes(vectors: Float32Array, length: number, count: number): Float64Array[] {
  const random = randomNumbers(19);
  const products = new Float64Array(length * length);
  for (let at = 0; at < vectors.length; at += length) {
    for (let i = 0; i < length; i++) {
      const value = vectors[at + i]!;
      for (let j = 0; j < length; j++) products[i * length + j] = products[i * length + j]! + value * vectors[at + j]!;
    }
  }
  let axes = Array.from({ length: count }, () => Float64Array.from({ length }, () => random() - 0.5));
  for (let step = 0; step < STEPS; step++) {
    axes = axes.map((axis) =>
      Float64Array.from({ length }, (_, i) => dot(products.subarray(i * length, (i + 1) * length), axis)),
    );
    for (const [place, axis] of axes.entries()) {
      for (const before of axes.slice(0, place)) {
        const share = dot(axis, before);
        for (let i = 0; i < length; i++) axis[i] = axis[i]! - share * before[i]!;
      }
      const size = Math.sqrt(dot(axis, axis));
      for (let i = 0; i < length; i++) axis[i] = axis[i]! / size;
    }
  }
  return axes;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
