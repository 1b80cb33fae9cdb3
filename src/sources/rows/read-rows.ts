import type { ReadOptions } from './read-options.js';
import type { SourceItem } from './row.js';

/**
 * Rows from a program. In reports `name` stands for the source, and `line` is the number of the row, counted from 1.
 *
 * @throws what the iterable throws, and the signal's reason when aborted
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
