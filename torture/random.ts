/** An integer from 0 up to `below`, without that. */
export function randomInteger(random: () => number, below: number): number {
  return Math.floor(random() * below);
}

/** One of some values. */
export function oneOf<T>(random: () => number, values: readonly T[]): T {
  return values[randomInteger(random, values.length)]!;
}
