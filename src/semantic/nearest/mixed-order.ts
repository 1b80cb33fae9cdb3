const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The numbers 0 to `count - 1` in an order in which neighbours are far apart. The order is always the same: steps of
 * about the golden section of `count`.
 *
 * Vectors next to each other come from the same source and are alike. If they are put into a graph of near neighbours in
 * that order, it finds them less often: recall@10 over 94,254 skills and 750 questions is .9915 instead of .9935. Half
 * as much time again for building would make up for that.
 */
export function mixedOrder(count: number): Uint32Array {
  let step = Math.max(1, Math.round(count * GOLDEN));
  while (greatestCommonDivisor(step, count) > 1) step += 1;
  const order = new Uint32Array(count);
  for (let i = 0, number = 0; i < count; i++) {
    order[i] = number;
    number = (number + step) % count;
  }
  return order;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
