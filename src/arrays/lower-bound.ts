/**
 * The first place of ascending values that is not less than one; `to` where all are.
 *
 * @param from where to look, all before being less
 * @param to behind the last place to look at
 */
export function lowerBound(values: Uint32Array, wanted: number, from = 0, to: number = values.length): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
