/**
 * Index of the first value that is not less than `wanted`; `to` if all are less. Bisection.
 *
 * @param values ascending between `from` and `to`
 * @param from first index to look at
 * @param to behind the last index to look at
 */
export function lowerBound(
  values: Uint16Array | Uint32Array | Float64Array,
  wanted: number,
  from = 0,
  to: number = values.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first of the indexes 0 to `length - 1` for which `isBefore` is false; `length` if there is none. Bisection.
 *
 * @param isBefore true up to some index, false from there on
 */
export function lowerBoundBy(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * {@link lowerBound} in steps that double: fast where the index is near `from`, as in a loop over ascending numbers.
 *
 * @param values ascending between `from` and `to`
 */
export function leapTo(values: Uint32Array, wanted: number, from: number, to: number = values.length): number {
  let low = from;
  let step = 1;
  while (low + step < to && values[low + step]! < wanted) {
    low += step;
    step *= 2;
  }
  return lowerBound(values, wanted, low, Math.min(low + step, to));
}
