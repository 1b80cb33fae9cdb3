import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  checkFlag,
  checkIds,
  checkInteger,
  checkListener,
  checkOptions,
  checkRows,
  checkSignal,
  invalidArgument,
  MAX_CHANGED_IN_PLACE,
  namesOf,
  optionOf,
  orUndefined,
  SkillSearchError,
} from '../core/index.js';
import { type ChosenModel, chooseModel, resolveModelOptions, textsToEmbed } from '../semantic/index.js';
import { readRows } from '../sources/index.js';
import { whileOpen } from '../store/index.js';
import { CatalogueWriter, type ChangeCounts, OpenLoad, VectorStatements } from '../store/writing.js';
import type { RemoveOptions, UpdateOptions } from './calls.js';
import { addressOf, type CatalogueAddress, homeOf, SHARED_NAMES } from './catalogue-place.js';
import { canClassifyInPlace, checkModel, classifyOrWarn, embedOrWarn } from './derive.js';
import { Ingest } from './ingest.js';
import type { BuildOptions, SharedOptions, Source } from './load-options.js';
import { type OpenableSource, openSources, rowsKey } from './open-sources.js';
import { type LoadReport, ReportBuilder } from './reports.js';
import { fileTarget, type LoadOptions, type LoadTarget, prepareLoad, runLoad } from './run-load.js';

// The work of the calls that write a catalogue, and of what a watch asks of loads.

export { addressOf, placeOf } from './catalogue-place.js';

/** The names of the {@link BuildOptions} of a catalogue in a file, for `namesOf`. */
export const FILE_BUILD_OPTION_NAMES: Readonly<Record<Exclude<keyof BuildOptions, keyof SharedOptions>, true>> = {
  database: true,
  sources: true,
  prune: true,
  semantic: true,
  model: true,
  embedder: true,
  author: true,
  codehostBase: true,
  skillUrlBase: true,
  followLinks: true,
  maxUnpackedBytes: true,
  maxRatio: true,
  maxListedProblems: true,
  git: true,
  gitSeconds: true,
  contents: true,
  classify: true,
  onProgress: true,
  signal: true,
  stdin: true,
};

const BUILD_OPTIONS = namesOf<BuildOptions>({ ...FILE_BUILD_OPTION_NAMES, ...SHARED_NAMES });

/** The work of `buildCatalogue`. */
export async function loadSources(options: BuildOptions): Promise<LoadReport> {
  checkOptions(options, BUILD_OPTIONS);
  const address = addressOf(options);
  if (!Array.isArray(options.sources) || options.sources.length === 0) {
    throw new SkillSearchError('INVALID_OPTION', 'sources must be an array of at least one source');
  }
  const { file, shared } = address;
  if (shared === undefined) return runLoad(await prepareLoad(options, homeOf(address)), fileTarget(file));
  const { loadShared } = await import('./load-shared.js');
  return loadShared(options);
}

/** A change of a part of a catalogue. */
interface Change {
  /** Makes it in place; undefined if that cannot be done. */
  readonly small: SmallChange | undefined;
  /** The load that makes it where it cannot be made in place. */
  readonly load: LoadOptions;
  /** Ids of skills that the load removes. */
  readonly removed?: readonly string[];
  /** Whether it reads what can be read only once. */
  readonly isOnce?: boolean;
  /** Whether there must be a catalogue already. */
  readonly needsCatalogue?: boolean;
}

/** Makes a change in place, or by a load if that is needed. */
async function makeChange(
  address: CatalogueAddress,
  { small, load, removed, isOnce = false, ...work }: Change,
): Promise<LoadReport> {
  const run = async (target: LoadTarget): Promise<LoadReport> => {
    const isSmall = small !== undefined && existsSync(target.database);
    const report = isSmall ? await changeInPlace(target, small, load) : undefined;
    return report ?? runLoad(await prepareLoad(load, homeOf(address)), target, removed);
  };
  if (address.shared === undefined) return run(fileTarget(address.file));
  const { loadIntoShared } = await import('./load-shared.js');
  return loadIntoShared(address.shared, { isOnce, signal: load.signal, ...work }, run);
}

const UPDATE_OPTIONS = namesOf<UpdateOptions>({
  database: true,
  rows: true,
  source: true,
  ...SHARED_NAMES,
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
  const { source: name = DEFAULT_SOURCE, rows: given, ...others } = options;
  const address = addressOf(options);
  if (typeof name !== 'string' || name === '') throw invalidArgument(optionOf('source'), 'a name', name);
  const rows = checkRows(given, 'rows');
  checkFlag('semantic', options.semantic);
  checkListener('onProgress', options.onProgress);
  checkInteger(optionOf('maxListedProblems'), options.maxListedProblems, 0, Number.MAX_SAFE_INTEGER);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();

  const first = await firstOf(rows, MAX_CHANGED_IN_PLACE);
  const read = async (ingest: Ingest): Promise<boolean> => {
    for await (const item of readRows(first.rows, name, { signal })) await ingest.take(item, rowsKey(name));
    return true;
  };
  const load = { ...others, sources: [{ name, rows: first.all() }] };
  return makeChange(address, { small: first.isAll ? { read } : undefined, load, isOnce: !first.isAll });
}

/** The first rows of some, and whether that is all of them. */
interface FirstRows {
  readonly rows: readonly unknown[];
  readonly isAll: boolean;
  /** All rows, which may be read only once unless {@link isAll}. */
  all(): AsyncIterable<unknown>;
}

async function firstOf(rows: Iterable<unknown> | AsyncIterable<unknown>, count: number): Promise<FirstRows> {
  const left = each(rows);
  const first: unknown[] = [];
  let next = await left.next();
  while (next.done !== true && first.push(next.value) <= count) next = await left.next();
  const isAll = next.done === true;
  async function* all(): AsyncGenerator {
    yield* first;
    if (!isAll) yield* left;
  }
  return { rows: first, isAll, all };
}

async function* each(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator {
  yield* rows;
}

const REMOVE_OPTIONS = namesOf<RemoveOptions>({ database: true, ids: true, ...SHARED_NAMES });

/** The work of `removeSkills`. */
export async function removeIds(options: RemoveOptions): Promise<number> {
  checkOptions(options, REMOVE_OPTIONS);
  const address = addressOf(options);
  const ids = checkIds(options.ids);
  const read = async (_: Ingest, writer: CatalogueWriter): Promise<boolean> => {
    writer.remove(ids);
    return true;
  };
  const small = ids.length > MAX_CHANGED_IN_PLACE ? undefined : { read, onlyRemoves: true };
  const load = { semantic: false, sources: [] };
  const { removed } = await makeChange(address, { small, load, removed: ids, needsCatalogue: true });
  return removed;
}

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
export async function updateSources({ changed, ...options }: UpdateSourcesOptions): Promise<LoadReport> {
  const address = addressOf(options);
  const load = { ...options, sources: changed.map(({ source }) => source), prune: true };
  const sources = await openSources(load, homeOf(address));
  const read = (ingest: Ingest, writer: CatalogueWriter): Promise<boolean> =>
    readParts(sources, changed, ingest, writer, options.signal);
  return makeChange(address, { small: { read }, load });
}

/**
 * Makes the vectors and categories that are missing in a catalogue, whatever it was loaded from. Reads no source.
 *
 * @throws {SkillSearchError} as `buildCatalogue`
 * @throws the signal's reason when aborted
 */
export async function embedMissing(options: Omit<BuildOptions, 'sources' | 'prune' | 'semantic'>): Promise<LoadReport> {
  const address = addressOf(options);
  const small: SmallChange = { read: async (_, { vectors }) => !vectors.leavesSome };
  return makeChange(address, { small, load: { ...options, semantic: true, sources: [] } });
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
  return orUndefined(() => join(realpathSync(dirname(folder)), basename(folder))) ?? folder;
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
  {
    sharedModel: shared,
    ...options
  }: Pick<BuildOptions, 'model' | 'embedder' | 'semantic'> & { readonly sharedModel?: boolean | undefined },
): Promise<ChosenModel | undefined> {
  const modelOptions = resolveModelOptions(options);
  if (options.semantic === false) return undefined;
  const model = await chooseModel(modelOptions, { shared });
  if (existsSync(database)) {
    const present = whileOpen(database, (connection) => new VectorStatements(connection).models()[0]);
    checkModel(present, model, database);
  }
  return model;
}

/**
 * The texts that a load with this model would embed. Writes nothing.
 *
 * @param database path of a catalogue, resolved
 * @param model id of the model
 * @param most skills whose texts are wanted
 * @returns undefined if there are more
 * @throws {SkillSearchError} those of opening a catalogue
 */
export function textsWithoutVector(database: string, model: string, most: number): string[] | undefined {
  return whileOpen(database, (connection) => {
    const statements = new VectorStatements(connection);
    const missing = statements.missing(model);
    if (missing.length > most) return undefined;
    return missing.flatMap((skill) => {
      const text = statements.text(skill);
      return text === undefined ? [] : textsToEmbed(text);
    });
  });
}

/** What a small change brings. */
interface SmallChange {
  /**
   * Hands the rows to the load.
   *
   * @returns false if they cannot be read in part: then nothing is changed
   */
  readonly read: (ingest: Ingest, writer: CatalogueWriter) => Promise<boolean>;
  /** Whether it brings nothing, so that nothing is embedded. */
  readonly onlyRemoves?: boolean;
}

/**
 * Writes a small change into the file of a catalogue, in one transaction. In a second one follow the vectors of new
 * texts, and categories that are derived from these: starting a model takes longer than all the rest, and until then
 * the skills are found by words.
 *
 * @param target its file exists
 * @returns undefined if that needs a whole load: nothing is changed then
 */
async function changeInPlace(
  target: LoadTarget,
  { read, onlyRemoves = false }: SmallChange,
  options: LoadOptions,
): Promise<LoadReport | undefined> {
  const { database, home } = target;
  const { signal, contents } = options;
  const change = await OpenLoad.inPlace(database, signal);
  if (change === undefined) return undefined;
  const writer = new CatalogueWriter(change, contents, home);
  const report = new ReportBuilder(options);
  let model: ChosenModel | undefined;
  let counts: ChangeCounts;
  try {
    const chosen = await modelInPlace(writer.vectors.modelBefore, options);
    if (chosen === 'another' || !(await canClassifyInPlace(writer.labels, options))) return undefined;
    model = chosen;
    if (!(await read(new Ingest(writer, report, contents), writer))) return undefined;
    report.end('reading');
    counts = writer.publish();
    report.end('publishing');
  } finally {
    writer.close();
  }
  if (onlyRemoves && target.handOn === undefined) await target.indexWhenDue(report.indexing());
  else await derive(target, model, options, report);
  return report.finish(counts);
}

/** Makes what is missing since the last whole load: vectors, derived categories, and derived files if they are due. */
async function derive(
  target: LoadTarget,
  model: ChosenModel | undefined,
  options: LoadOptions,
  report: ReportBuilder,
): Promise<void> {
  const { database, home } = target;
  const change = await OpenLoad.inPlace(database, options.signal);
  // The catalogue was replaced meanwhile, by a load that has made all of this.
  if (change === undefined) return target.handOn?.();
  const writer = new CatalogueWriter(change, options.contents, home);
  try {
    const isSame = model !== undefined && writer.vectors.modelBefore === model.id;
    report.embedded = await embedOrWarn(writer.vectors, isSame ? model : undefined, report, options);
    report.classified = await classifyOrWarn(writer.labels, model, report, { signal: options.signal });
    writer.publish();
    await target.handOn?.();
    report.end('embedding');
    await target.indexWhenDue(report.indexing());
  } finally {
    writer.close();
  }
}

/**
 * The model that embeds what a small change brings: that of the catalogue.
 *
 * @param present id of the model whose vectors the catalogue has
 * @returns undefined if no vectors are to be made; `another` if all texts would have to be embedded again
 */
async function modelInPlace(
  present: string | undefined,
  options: LoadOptions,
): Promise<ChosenModel | undefined | 'another'> {
  const { semantic } = options;
  if (semantic === false) return undefined;
  if (present === undefined) return semantic === true ? 'another' : undefined;
  const model = await chooseModel(resolveModelOptions(options));
  return model.id === present ? model : 'another';
}
