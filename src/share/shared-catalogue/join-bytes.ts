/**
 * Puts bytes together, for a statement that takes them apart again.
 *
 * @returns where each begins, from 1; how many each has; and all of them
 */
export function joinBytes(values: readonly Buffer[]): [starts: number[], lengths: number[], all: Buffer] {
  const starts: number[] = [];
  let start = 1;
  for (const { length } of values) {
    starts.push(start);
    start += length;
  }
  return [starts, values.map(({ length }) => length), Buffer.concat(values)];
}
