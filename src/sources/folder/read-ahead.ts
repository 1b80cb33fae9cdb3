/**
 * Applies `work` to each item and yields the results in the order of the items, with up to `ahead` of them under way:
 * reading many small files is waiting, and waits can overlap.
 */
export async function* readAhead<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  for (const item of items) {
    const result = work(item);
    result.catch(() => {}); // told when its turn comes; until then, or never, it is nobody's
    underWay.push(result);
    if (underWay.length >= ahead) yield await (underWay.shift() as Promise<R>);
  }
  for (const result of underWay) yield await result;
}
