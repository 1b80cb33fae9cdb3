import type { ReadOptions } from './read-options.js';
import type { SourceItem } from './row.js';

/**
 * Rows that the caller hands over himself; `name` stands for the source in reports and `line` is the row's number,
 * counted from 1. Throws what the iterable throws, and the signal's reason where aborted.
 */
export async function* readRows(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  name: string,
  options: Pick<ReadOptions, 'signal'> = {},
): AsyncGenerator<SourceItem> {
  options.signal?.throwIfAborted();
  let line = 0;
  for await (const value of rows) {
    options.signal?.throwIfAborted();
    line++;
    yield { kind: 'row', origin: { source: name, line }, value };
  }
}
