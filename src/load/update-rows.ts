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
  isPostgresAddress,
  MAX_CHANGED_IN_PLACE,
  namesOf,
  optionOf,
  resolveDatabase,
} from '../core/index.js';
import { readRows } from '../sources/index.js';
import { changeInPlace, type SmallChange } from './change-in-place.js';
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
  const small: SmallChange | undefined = first.isAll ? changeOf(name, first.rows, signal) : undefined;
  const whole = async (target: LoadTarget): Promise<LoadReport> => {
    const sources = [{ name, rows: first.all() }];
    return runLoad(await prepareLoad({ ...others, sources }, target.home ?? dirname(target.database)), target);
  };
  if (!isShared) {
    const target = fileTarget(file);
    const report = small !== undefined && existsSync(file) ? await changeInPlace(target, small, others) : undefined;
    return report ?? whole(target);
  }
  const [{ loadIntoShared }, { changeShared }] = await Promise.all([
    import('./load-into-shared.js'),
    import('./change-shared.js'),
  ]);
  return loadIntoShared(
    { database, cache, passwordFile },
    { key: undefined, isOnce: !first.isAll, signal },
    { whole, ...(small === undefined ? {} : { small: (target) => changeShared(target, small, others) }) },
  );
}

function changeOf(name: string, rows: readonly unknown[], signal: AbortSignal | undefined): SmallChange {
  const source = rowsKey(name);
  return {
    read: async (ingest) => {
      for await (const item of readRows(rows, name, { signal })) await ingest.take(item, source);
      return true;
    },
  };
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
