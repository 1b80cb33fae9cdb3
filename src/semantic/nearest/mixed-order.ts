const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The numbers 0 to `count - 1`, far apart ones next to each other, the same each time: steps of about the golden section
 * of all. Vectors that follow each other come from the same source and are alike; put into a graph of near neighbours
 * like that, they are found a little less often (recall@10 over 94,254 skills and 750 questions .9915 instead of .9935,
 * as much as half as long a building makes up for).
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
