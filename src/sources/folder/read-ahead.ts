/**
 * Applies `work` to each item and yields the results in the order of the items. Up to `ahead` items are in progress at
 * the same time, because reading many small files is mostly waiting.
 *
 * @param work gets a promise that is kept when its result is the next one that is wanted, and broken if none is any
 *   more
 */
export async function* readAhead<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T, turn: Promise<void>) => Promise<R>,
): AsyncGenerator<R> {
  const inProgress: InProgress<R>[] = [];
  const next = (): Promise<R> => {
    const { begin, result } = inProgress.shift()!;
    begin();
    return result;
  };
  try {
    for (const item of items) {
      inProgress.push(start((turn) => work(item, turn)));
      if (inProgress.length >= ahead) yield await next();
    }
    while (inProgress.length > 0) yield await next();
  } finally {
    for (const { giveUp } of inProgress) giveUp();
  }
}

interface InProgress<R> {
  readonly begin: () => void;
  readonly giveUp: () => void;
  readonly result: Promise<R>;
}

function start<R>(work: (turn: Promise<void>) => Promise<R>): InProgress<R> {
  let begin = (): void => {};
  let giveUp = (): void => {};
  const turn = new Promise<void>((resolve, reject) => {
    begin = resolve;
    giveUp = () => reject(new Error('wanted by nobody any more'));
  });
  const result = work(turn);
  // Handled when its turn comes. This catch only prevents an unhandled rejection.
  turn.catch(() => {});
  result.catch(() => {});
  return { begin, giveUp, result };
}
