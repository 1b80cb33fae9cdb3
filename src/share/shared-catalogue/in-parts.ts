/**
 * Cuts a list into parts: of at most `most` items, and of at most `mostBytes`, unless one item alone has more.
 */
export function* inParts<T>(
  items: readonly T[],
  most: number,
  mostBytes: number = Number.POSITIVE_INFINITY,
  bytesOf: (item: T) => number = () => 0,
): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (part.length > 0 && (part.length === most || bytes + size > mostBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
