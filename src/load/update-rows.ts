import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  checkDatabase,
  checkFlag,
  checkInteger,
  checkListener,
  checkNotShared,
  checkOptions,
  checkRows,
  checkSignal,
  invalidArgument,
  namesOf,
  optionOf,
  resolveDatabase,
} from '../check-arguments.js';
import { isPostgresAddress } from '../database-address.js';
import { MAX_CHANGED_IN_PLACE } from '../limits.js';
import { readRows } from '../sources/rows/read-rows.js';
import { changeInPlace } from './change-in-place.js';
import type { SharedOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';
import { fileTarget, type LoadTarget } from './load-target.js';
import { rowsKey } from './open-sources.js';
import { prepareLoad } from './prepare-load.js';
import { runLoad } from './run-load.js';
import type { UpdateOptions } from './update-skills.js';

const UPDATE_OPTIONS = namesOf<UpdateOptions>({
  database: true,
  rows: true,
  source: true,
  cache: true,
  passwordFile: true,
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
  const { database, cache, passwordFile, source: name = DEFAULT_SOURCE, rows: given, ...others } = options;
  const isShared = isPostgresAddress(database);
  const file = isShared ? '' : resolveDatabase(checkDatabase(database));
  if (!isShared) checkNotShared(options);
  if (typeof name !== 'string' || name === '') throw invalidArgument(optionOf('source'), 'a name', name);
  const rows = checkRows(given, 'rows');
  checkFlag('semantic', options.semantic);
  checkListener('onProgress', options.onProgress);
  checkInteger(optionOf('maxListedProblems'), options.maxListedProblems, 0, Number.MAX_SAFE_INTEGER);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();

  const first = await firstOf(rows, MAX_CHANGED_IN_PLACE);
  const update = (target: LoadTarget): Promise<LoadReport> => updateIn(target, name, first, others);
  if (!isShared) return update(fileTarget(file));
  const { loadThroughScratch } = await import('./load-through-scratch.js');
  return loadThroughScratch(
    { database, cache, passwordFile },
    { key: undefined, isOnce: !first.isAll, signal },
    update,
  );
}

/** Changes the file of a target in place if that can be done, and loads the rows as a whole if not. */
async function updateIn(
  target: LoadTarget,
  name: string,
  first: FirstRows,
  options: Omit<UpdateOptions, 'database' | 'rows' | 'source' | keyof SharedOptions>,
): Promise<LoadReport> {
  const { database, home } = target;
  if (first.isAll && existsSync(database)) {
    const source = rowsKey(name);
    const read: Parameters<typeof changeInPlace>[1]['read'] = async (ingest) => {
      for await (const item of readRows(first.rows, name, { signal: options.signal })) await ingest.take(item, source);
      return true;
    };
    const report = await changeInPlace(target, { read }, options);
    if (report !== undefined) return report;
  }
  const sources = [{ name, rows: first.all() }];
  return runLoad(await prepareLoad({ ...options, sources }, home ?? dirname(database)), target);
}

/** The first rows of some, and whether that is all of them. */
interface FirstRows {
  readonly rows: readonly unknown[];
  readonly isAll: boolean;
  /** All rows, which may be read only once unless {@link isAll}. */
  all(): AsyncIterable<unknown>;
}

async function firstOf(rows: Iterable<unknown> | AsyncIterable<unknown>, count: number): Promise<FirstRows> {
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
