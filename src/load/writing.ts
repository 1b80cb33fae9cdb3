import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type Argument,
  checkFlag,
  checkInteger,
  checkListener,
  checkOptions,
  checkRows,
  checkSignal,
  invalidArgument,
  MAX_CHANGED_IN_PLACE,
  namesOf,
  optionOf,
  SkillSearchError,
} from '../core/index.js';
import { type ChosenModel, chooseModel, embeddedText, resolveModelOptions } from '../semantic/index.js';
import { readRows } from '../sources/index.js';
import {
  type CatalogueWriter,
  type EndOfLoad,
  endChange,
  endLoad,
  OpenChange,
  OpenLoad,
  openForReading,
  VectorStatements,
} from '../store/index.js';
import type { RemoveOptions, UpdateOptions } from './calls.js';
import { addressOf, type SharedAddress } from './catalogue-place.js';
import { changeInPlace, type SmallChange } from './change-in-place.js';
import { checkModel } from './derive.js';
import type { Ingest } from './ingest.js';
import { BUILD_OPTIONS, type BuildOptions, type Source } from './load-options.js';
import { type OpenableSource, openSources, rowsKey } from './open-sources.js';
import type { LoadReport } from './reports.js';
import { fileTarget, type LoadTarget, prepareLoad, runLoad } from './run-load.js';
import { FILE_SYSTEM_ROOT } from './shared-home.js';

// The work of the calls that write a catalogue, and of what a watch asks of loads.

export { addressOf, placeOf } from './catalogue-place.js';

/** The work of `buildCatalogue`. */
export async function loadSources(options: BuildOptions): Promise<LoadReport> {
  checkOptions(options, BUILD_OPTIONS);
  const { file, shared } = addressOf(options);
  if (shared === undefined) return runLoad(await prepareLoad(options, dirname(file)), fileTarget(file));
  const { loadShared } = await import('./load-shared.js');
  return loadShared(options);
}

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
  const { database: _, cache: __, passwordFile: ___, source: name = DEFAULT_SOURCE, rows: given, ...others } = options;
  const { file, shared } = addressOf(options);
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
  if (shared === undefined) {
    const target = fileTarget(file);
    const report = small !== undefined && existsSync(file) ? await changeInPlace(target, small, others) : undefined;
    return report ?? whole(target);
  }
  const [{ loadIntoShared }, { changeShared }] = await Promise.all([
    import('./load-into-shared.js'),
    import('./change-shared.js'),
  ]);
  return loadIntoShared(
    shared,
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

const REMOVE_OPTIONS = namesOf<RemoveOptions>({ database: true, ids: true, cache: true, passwordFile: true });

/** The work of `removeSkills`. */
export async function removeIds(options: RemoveOptions): Promise<number> {
  checkOptions(options, REMOVE_OPTIONS);
  const { file, shared } = addressOf(options);
  const ids = checkIds(options.ids);
  return shared === undefined ? removeFrom(file, ids) : removeShared(shared, ids);
}

async function removeShared(options: SharedAddress, ids: readonly string[]): Promise<number> {
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
  const load = change ?? new OpenLoad(database, true);
  try {
    return removeIn(load, ids);
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

/** Parts of a source that changed. */
interface SourceChange {
  /** As it was given to `buildCatalogue`. */
  readonly source: Source;
  /**
   * Folders whose skills changed, appeared or vanished, absolute; what is below them counts, too. Without any, the
   * whole source is read.
   */
  readonly folders: readonly string[];
}

/** Options of {@link updateSources}. */
export interface UpdateSourcesOptions extends Omit<BuildOptions, 'sources' | 'prune'> {
  readonly changed: readonly SourceChange[];
}

/**
 * Brings a catalogue up to date with parts of its sources: for these parts it does what a load of all sources with
 * `prune` would do. Only the named folders are read, where that is enough. A few changes are written in place; if there
 * are more, or the catalogue does not exist yet, the named sources are loaded as a whole.
 *
 * @throws {SkillSearchError} as `buildCatalogue`
 * @throws the signal's reason when aborted
 */
export async function updateSources({
  changed,
  database,
  cache,
  passwordFile,
  ...options
}: UpdateSourcesOptions): Promise<LoadReport> {
  const { file, shared } = addressOf({ database, cache, passwordFile });
  const whole = { ...options, sources: changed.map(({ source }) => source), prune: true };
  const { signal } = options;
  const partsOf = (sources: readonly OpenableSource[]): SmallChange => ({
    read: (ingest, writer) => readParts(sources, changed, ingest, writer, signal),
  });
  if (shared !== undefined) {
    const { loadIntoShared } = await import('./load-into-shared.js');
    const { changeShared } = await import('./change-shared.js');
    const sources = await openSources(whole, FILE_SYSTEM_ROOT);
    return loadIntoShared(
      shared,
      { key: undefined, isOnce: false, pruned: sources.map(({ key }) => key), signal },
      {
        small: (target) => changeShared(target, partsOf(sources), options),
        whole: async (target) => runLoad(await prepareLoad(whole, FILE_SYSTEM_ROOT), target),
      },
    );
  }
  const target = fileTarget(file);
  const home = dirname(target.database);
  if (existsSync(target.database)) {
    const report = await changeInPlace(target, partsOf(await openSources(whole, home)), options);
    if (report !== undefined) return report;
  }
  return runLoad(await prepareLoad(whole, home), target);
}

/** @returns false if all of the sources must be loaded */
async function readParts(
  sources: readonly OpenableSource[],
  changed: readonly SourceChange[],
  ingest: Ingest,
  writer: CatalogueWriter,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const [i, source] of sources.entries()) {
    const folders = source.readsFolders === true ? changed[i]!.folders.map(withoutLinks) : [];
    const isKnown = (fingerprint: string): boolean => writer.isKnown(fingerprint, source.key);
    const skillsBefore = ingest.skills;
    try {
      for await (const item of source.read(folders.length === 0 ? { isKnown } : { isKnown, folders })) {
        signal?.throwIfAborted();
        const waiting = ingest.take(item, source.key);
        if (waiting !== undefined) await waiting;
        if (writer.written > MAX_CHANGED_IN_PLACE) return false;
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof SkillSearchError || !(error instanceof Error)) throw error;
      // Links, say, or a file that breaks off. A whole load reports what is wrong with a source.
      return false;
    }
    // A whole load says what is wrong with a source that holds nothing.
    if (folders.length === 0 && ingest.skills === skillsBefore) return false;
    // Nobody can tell what a part that cannot be read holds.
    if (ingest.incomplete.size > 0) return false;
    writer.prune([source.key], ingest.spared, folders);
  }
  return writer.written + writer.lapsed <= MAX_CHANGED_IN_PLACE;
}

/** The path of a folder, which need not be there any more, without links above it. */
function withoutLinks(folder: string): string {
  try {
    return join(realpathSync(dirname(folder)), basename(folder));
  } catch {
    return folder;
  }
}

/**
 * The model of loads that come later: what a load would check is checked now.
 *
 * @param database path of the catalogue, resolved; it need not exist
 * @returns undefined if no vectors are to be made
 * @throws {SkillSearchError} `INVALID_OPTION`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`, `MODEL_MISMATCH`, and those of
 *   opening a catalogue
 */
export async function chooseLoadModel(
  database: string,
  options: Pick<BuildOptions, 'model' | 'embedder' | 'semantic'>,
): Promise<ChosenModel | undefined> {
  const modelOptions = resolveModelOptions(options);
  if (options.semantic === false) return undefined;
  const model = await chooseModel(modelOptions);
  if (existsSync(database)) checkModel(presentModel(database), model, database);
  return model;
}

function presentModel(database: string): string | undefined {
  const connection = openForReading(database);
  try {
    return new VectorStatements(connection).models()[0];
  } finally {
    connection.close();
  }
}

/**
 * The texts that a load with this model would embed: each once. Writes nothing.
 *
 * @param database path of a catalogue, resolved
 * @param model id of the model
 * @param most texts that are wanted
 * @returns undefined if there are more
 * @throws {SkillSearchError} those of opening a catalogue
 */
export function textsWithoutVector(database: string, model: string, most: number): string[] | undefined {
  const connection = openForReading(database);
  try {
    const statements = new VectorStatements(connection);
    const missing = statements.missing(model);
    if (missing.length > most) return undefined;
    return missing.map((skill) => {
      const { name, description } = statements.text(skill);
      return embeddedText(name, description);
    });
  } finally {
    connection.close();
  }
}
