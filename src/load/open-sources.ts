import { realpath } from 'node:fs/promises';
import { giveWay, isIterable, SkillSearchError } from '../core/index.js';
import {
  checkInstalledOptions,
  checkSource,
  pathInside,
  type ReadOptions,
  type ResolvedSource,
  readRows,
  readSource,
  SKILL_FOLDER,
  type SourceItem,
} from '../sources/index.js';
import type { CatalogueWriter } from '../store/writing.js';
import type { Ingest } from './ingest.js';
import type { BuildOptions, FoundInstalledSource, InstalledSource, RowSource, Source } from './load-options.js';
import type { ReportBuilder } from './reports.js';

/** A source that exists and can be read. */
export interface OpenableSource {
  /** As the caller named it, for reports. */
  readonly name: string;
  /** The name that its skills are stored under: the same from load to load. */
  readonly key: string;
  /** Size of a file in bytes, else 0. */
  readonly bytes: number;
  /** Whether it is pruned if the caller does not say. */
  readonly prunes?: true;
  /** Whether it can be read only once. */
  readonly isOnce?: boolean;
  /** Whether it was looked at and is empty, rather than not there. */
  isEmpty?(): boolean;
  /** Whether folders of it can be read by themselves. */
  readonly readsFolders?: boolean;
  read(how: Pick<ReadOptions, 'onBytes' | 'isKnown' | 'folders'>): AsyncIterable<SourceItem>;
}

/**
 * Checks all sources of a load, before anything of them is read.
 *
 * @param home the folder that their paths are stored relative to
 * @throws {SkillSearchError} `INVALID_OPTION`, `SOURCE_NOT_FOUND`, `INVALID_SOURCE`
 */
export async function openSources(options: Omit<BuildOptions, 'database'>, home: string): Promise<OpenableSource[]> {
  const paths = await Promise.all(
    options.sources.map((source: Source) => (typeof source === 'string' ? checkSource(source) : undefined)),
  );
  const installed = await openInstalled(options);
  const folders = paths.filter((path) => path?.kind === SKILL_FOLDER).map((folder) => folder!.path);
  const linkRoots = options.followLinks === true ? await Promise.all(folders.map((path) => realpath(path))) : [];
  return options.sources.map((source: Source, i) => {
    const path = paths[i];
    if (path !== undefined) return openPath(path, home, options, linkRoots);
    if (installed !== undefined && isInstalledSource(source)) return installed;
    return openRows(source as Exclude<Source, string | InstalledSource>, i + 1, options);
  });
}

/** The source of what is installed, if there is one. */
async function openInstalled(options: Omit<BuildOptions, 'database'>): Promise<OpenableSource | undefined> {
  const [source, second] = options.sources.filter(isInstalledSource);
  if (source === undefined) return undefined;
  if (second !== undefined) {
    throw new SkillSearchError('INVALID_OPTION', 'sources must have at most one of installed skills');
  }
  checkInstalledOptions(source.installed);
  const { found } = source as Partial<FoundInstalledSource>;
  let folders = 0;
  const onFolders = (count: number): void => {
    folders = count;
  };
  async function* read(how: Pick<ReadOptions, 'folders'>): AsyncGenerator<SourceItem> {
    const { readInstalled } = await import('../sources/installed/read-installed.js');
    yield* readInstalled(source!.installed, { ...options, folders: how.folders }, { onFolders, found });
  }
  const isEmpty = (): boolean => folders > 0;
  return { name: INSTALLED, key: `${INSTALLED}:`, bytes: 0, prunes: true, isEmpty, readsFolders: true, read };
}

const INSTALLED = 'installed';

/** Whether a source is what is installed on this machine. */
export function isInstalledSource(source: Source): source is InstalledSource {
  return typeof source === 'object' && source !== null && INSTALLED in source;
}

function openPath(
  source: ResolvedSource,
  home: string,
  options: Omit<BuildOptions, 'database'>,
  linkRoots: readonly string[],
): OpenableSource {
  const gitBudget = options.gitSeconds === undefined ? undefined : options.gitSeconds * 1000;
  return {
    name: source.name,
    // Relative to the catalogue: both can be moved together, and the catalogue says nothing about the machine.
    key: source.path === '' ? source.name : `${source.kind.name}:${pathInside(home, source.path) || '.'}`,
    bytes: source.bytes ?? 0,
    // Standard input.
    isOnce: source.path === '',
    // A link of another source may lead into it.
    readsFolders: source.kind === SKILL_FOLDER && linkRoots.length === 0,
    read: (how) => readSource(source, { ...options, gitBudget, linkRoots, ...how }),
  };
}

/** @param position of the source among those of the load, from 1 */
function openRows(
  source: Exclude<Source, string | InstalledSource>,
  position: number,
  { signal }: Omit<BuildOptions, 'database'>,
): OpenableSource {
  const { name, rows } = isRowSource(source) ? source : { name: `rows ${position}`, rows: source };
  if (!isIterable(rows)) {
    throw new SkillSearchError('INVALID_SOURCE', `source ${position} must be a path or rows that can be iterated`);
  }
  // Rows of an iterator or a stream are gone once they are read.
  const isOnce = 'next' in rows || 'pipe' in rows || 'getReader' in rows;
  return { name, key: rowsKey(name), bytes: 0, isOnce, read: () => readRows(rows, name, { signal }) };
}

/** The key of rows with a name. It is text whatever the name is: not every store keeps half of a character. */
export function rowsKey(name: string): string {
  return `rows:${name.toWellFormed()}`;
}

function isRowSource(source: Exclude<Source, string | InstalledSource>): source is RowSource {
  return typeof source === 'object' && source !== null && 'rows' in source && 'name' in source;
}

/** Milliseconds between two calls that tell how far the reading is. */
const PROGRESS_INTERVAL = 100;

/**
 * Reads all sources, one after the other. A source that breaks does not stop the load: the report has it.
 *
 * @returns names of sources without a skill, if nobody can tell whether that is as it should be
 * @throws the signal's reason when aborted, and errors of the store
 */
export async function readSources(
  sources: readonly OpenableSource[],
  ingest: Ingest,
  writer: CatalogueWriter,
  report: ReportBuilder,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const empty: string[] = [];
  let bytesBefore = 0;
  for (const source of sources) {
    const skillsBefore = ingest.skills;
    let bytesRead = bytesBefore;
    let lastReport = 0;
    const tell = (): void => {
      lastReport = performance.now();
      report.tell('reading', { source: source.name, bytesRead });
    };
    const items = source.read({
      onBytes: (read) => {
        bytesRead = bytesBefore + read;
      },
      isKnown: (fingerprint) => writer.isKnown(fingerprint, source.key),
    });
    const onFailure = ({ message }: Error): unknown => report.failed.push({ origin: source.name, reason: message });
    for await (const item of untilFailure(items, signal, onFailure)) {
      await giveWay(signal);
      signal?.throwIfAborted();
      const waiting = ingest.take(item, source.key);
      if (waiting !== undefined) await waiting;
      if (performance.now() - lastReport > PROGRESS_INTERVAL) tell();
    }
    tell();
    if (ingest.skills === skillsBefore && source.isEmpty?.() !== true) empty.push(source.name);
    bytesBefore += source.bytes;
  }
  return empty;
}

/** The items of a source until it breaks. Does not catch errors of the code that takes the items. */
async function* untilFailure(
  items: AsyncIterable<SourceItem>,
  signal: AbortSignal | undefined,
  onFailure: (error: Error) => unknown,
): AsyncGenerator<SourceItem> {
  try {
    yield* items;
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error)) throw error;
    onFailure(error);
  }
}
