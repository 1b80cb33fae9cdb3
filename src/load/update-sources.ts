import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  checkDatabase,
  isPostgresAddress,
  MAX_CHANGED_IN_PLACE,
  resolveDatabase,
  SkillSearchError,
} from '../core/index.js';
import type { CatalogueWriter } from '../store/index.js';
import { changeInPlace, type SmallChange } from './change-in-place.js';
import type { Ingest } from './ingest.js';
import type { BuildOptions, Source } from './load-options.js';
import type { LoadReport } from './load-report.js';
import { fileTarget } from './load-target.js';
import { type OpenableSource, openSources } from './open-sources.js';
import { prepareLoad } from './prepare-load.js';
import { runLoad } from './run-load.js';
import { FILE_SYSTEM_ROOT } from './shared-home.js';

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
  const whole = { ...options, sources: changed.map(({ source }) => source), prune: true };
  const { signal } = options;
  const partsOf = (sources: readonly OpenableSource[]): SmallChange => ({
    read: (ingest, writer) => readParts(sources, changed, ingest, writer, signal),
  });
  if (isPostgresAddress(database)) {
    const { loadIntoShared } = await import('./load-into-shared.js');
    const { changeShared } = await import('./change-shared.js');
    const sources = await openSources(whole, FILE_SYSTEM_ROOT);
    return loadIntoShared(
      { database, cache, passwordFile },
      { key: undefined, isOnce: false, pruned: sources.map(({ key }) => key), signal },
      {
        small: (target) => changeShared(target, partsOf(sources), options),
        whole: async (target) => runLoad(await prepareLoad(whole, FILE_SYSTEM_ROOT), target),
      },
    );
  }
  const target = fileTarget(resolveDatabase(checkDatabase(database)));
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
