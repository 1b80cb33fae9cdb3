import {
  type Argument,
  checkDatabase,
  checkNotShared,
  checkOptions,
  invalidArgument,
  isPostgresAddress,
  MAX_CHANGED_IN_PLACE,
  namesOf,
  resolveDatabase,
} from '../core/index.js';
import { type EndOfLoad, endChange, endLoad, loadKey, OpenChange, OpenLoad } from '../store/index.js';
import type { SharedOptions } from './load-options.js';

/** Options of {@link removeSkills}. */
export interface RemoveOptions extends SharedOptions {
  /** The catalogue's file, or the address of a database of PostgreSQL. */
  readonly database: string;
  /** Ids of the skills to remove. One that no skill has is no error. */
  readonly ids: Iterable<string>;
}

const REMOVE_OPTIONS = namesOf<RemoveOptions>({ database: true, ids: true, cache: true, passwordFile: true });

/**
 * Removes skills from a catalogue, by id. Up to 500 are removed in place, as by `updateSkills`: within a second, and
 * without another index. More are removed as by a load. The derived files stay in use either way.
 *
 * @returns how many of the ids were there
 * @throws {SkillSearchError} as `buildCatalogue`, and `DATABASE_NOT_FOUND`
 */
export async function removeSkills(options: RemoveOptions): Promise<number> {
  checkOptions(options, REMOVE_OPTIONS);
  const { database, cache, passwordFile } = options;
  if (isPostgresAddress(database)) return removeShared({ database, cache, passwordFile }, checkIds(options.ids));
  const path = resolveDatabase(checkDatabase(database));
  checkNotShared(options);
  return removeFrom(path, checkIds(options.ids));
}

async function removeShared(options: Omit<RemoveOptions, 'ids'>, ids: readonly string[]): Promise<number> {
  const { loadIntoShared } = await import('./load-into-shared.js');
  const untold = { signal: undefined, onProgress: () => {}, onWarning: () => {} };
  const work = { key: undefined, isOnce: false, needsCatalogue: true, signal: undefined };
  return loadIntoShared(options, work, {
    small: async ({ tryOut, indexWhenDue }) => {
      if (ids.length > MAX_CHANGED_IN_PLACE) return undefined;
      const tried = await tryOut(async (change) => removeIn(change, ids));
      if (tried === undefined) return undefined;
      await tried.publish();
      await indexWhenDue(untold);
      return tried.result;
    },
    whole: async ({ database, handOn, indexWhenDue }) => {
      const removed = removeFrom(database, ids);
      await handOn?.();
      await indexWhenDue(untold);
      return removed;
    },
  });
}

function removeFrom(database: string, ids: readonly string[]): number {
  // Not with a CatalogueWriter: every program that imports the library would load all of it, just for this.
  const change = ids.length <= MAX_CHANGED_IN_PLACE ? OpenChange.open(database) : undefined;
  const load = change ?? new OpenLoad(database, loadKey(['remove', ...ids]), true);
  try {
    const removed = removeIn(load, ids);
    load.reported();
    return removed;
  } finally {
    load.close();
  }
}

function removeIn(load: OpenLoad | OpenChange, ids: readonly string[]): number {
  const end: EndOfLoad = {
    hasWork: () => ids.some((id) => load.statements.find.get(id) !== undefined),
    onlyRemoves: true,
    write: (statements) => {
      for (const id of ids) statements.remove(id);
      return false;
    },
  };
  const { removed } = load instanceof OpenChange ? endChange(load, end) : endLoad(load, end);
  return removed;
}

/** A text can be iterated, too, but its letters are no ids. */
function checkIds(ids: unknown): string[] {
  const isList = typeof ids === 'object' && ids !== null && Symbol.iterator in ids;
  if (!isList) throw invalidArgument(IDS, 'an array of ids, or ids that can be iterated', ids);
  const list = [...(ids as Iterable<unknown>)];
  for (const id of list) if (typeof id !== 'string') throw invalidArgument(IDS, 'strings', id);
  return list as string[];
}

const IDS: Argument = { name: 'ids', code: 'INVALID_OPTION' };
