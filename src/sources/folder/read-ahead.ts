/**
 * Applies `work` to each item and yields the results in the order of the items. Up to `ahead` items are in progress at
 * the same time, because reading many small files is mostly waiting.
 */
export async function* readAhead<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const inProgress: Promise<R>[] = [];
  for (const item of items) {
    const result = work(item);
    // Handled when its turn comes. This catch only prevents an unhandled rejection.
    result.catch(() => {});
    inProgress.push(result);
    if (inProgress.length >= ahead) yield await inProgress.shift()!;
  }
  for (const result of inProgress) yield await result;
}
