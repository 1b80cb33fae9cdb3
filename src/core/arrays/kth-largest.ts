import { LargestValues } from './largest-values.js';

/**
 * The `k`-th largest of some values. Does not sort them, see {@link LargestValues}.
 *
 * @param values looked up by index
 * @param indexes the first `count` of them choose the values
 * @param k from 1 to `count`
 */
export function kthLargest(
  values: Float64Array | Float32Array,
  indexes: Uint32Array,
  count: number,
  k: number,
): number {
  const largest = new LargestValues(k);
  for (let i = 0; i < count; i++) largest.add(values[indexes[i]!]!);
  return largest.least;
}
