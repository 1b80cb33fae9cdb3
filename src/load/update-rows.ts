import { existsSync } from 'node:fs';
import {
  checkDatabase,
  checkFlag,
  checkInteger,
  checkListener,
  checkOptions,
  checkRows,
  checkSignal,
  invalidArgument,
  namesOf,
  optionOf,
  resolveDatabase,
} from '../check-arguments.js';
import { MAX_CHANGED_IN_PLACE } from '../limits.js';
import { readRows } from '../sources/rows/read-rows.js';
import { changeInPlace } from './change-in-place.js';
import type { LoadReport } from './load-report.js';
import { loadSources } from './load-sources.js';
import type { UpdateOptions } from './update-skills.js';

const UPDATE_OPTIONS = namesOf<UpdateOptions>({
  database: true,
  rows: true,
  source: true,
  semantic: true,
  model: true,
  embedder: true,
  maxListedProblems: true,
  onProgress: true,
  signal: true,
});

const DEFAULT_SOURCE = 'updates';

/** The work of `updateSkills`. */
export async function updateRows(options: UpdateOptions): Promise<LoadReport> {
  checkOptions(options, UPDATE_OPTIONS);
  const database = resolveDatabase(checkDatabase(options.database));
  const { source: name = DEFAULT_SOURCE, rows: given, ...others } = options;
  if (typeof name !== 'string' || name === '') throw invalidArgument(optionOf('source'), 'a name', name);
  const rows = checkRows(given, 'rows');
  checkFlag('semantic', options.semantic);
  checkListener('onProgress', options.onProgress);
  checkInteger(optionOf('maxListedProblems'), options.maxListedProblems, 0, Number.MAX_SAFE_INTEGER);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();

  const first = await firstOf(rows, MAX_CHANGED_IN_PLACE);
  if (first.isAll && existsSync(database)) {
    const source = `rows:${name}`;
    const read: Parameters<typeof changeInPlace>[1]['read'] = async (ingest) => {
      for await (const item of readRows(first.rows, name, { signal })) await ingest.take(item, source);
      return true;
    };
    const report = await changeInPlace(database, { read }, others);
    if (report !== undefined) return report;
  }
  return loadSources({ ...others, database, sources: [{ name, rows: first.all() }] });
}

/** The first rows, and whether that is all of them. */
async function firstOf(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  count: number,
): Promise<{ readonly rows: readonly unknown[]; readonly isAll: boolean; all(): AsyncIterable<unknown> }> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const first: unknown[] = [];
  let isAll = false;
  while (first.length <= count) {
    const next = await iterator.next();
    if (next.done === true) {
      isAll = true;
      break;
    }
    first.push(next.value);
  }
  return {
    rows: first,
    isAll,
    async *all() {
      yield* first;
      if (isAll) return;
      try {
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return?.();
      }
    },
  };
}
