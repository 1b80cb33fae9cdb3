import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { checkSource, type ResolvedSource, readSource } from './catalogue/open-source.js';
import { readRows } from './catalogue/read-rows.js';
import type { SourceItem } from './catalogue/row.js';
import { SkillSearchError } from './errors.js';
import { Ingest } from './ingest.js';
import type { FailedSource, LoadReport } from './load-report.js';
import { type BuildOptions, checkDatabase, isIterable, type RowSource, type Source } from './options.js';
import { CatalogueWriter } from './store/catalogue-writer.js';

/** A source that was looked at and can be read. */
interface OpenableSource {
  /** As the caller named it, for reports. */
  readonly name: string;
  /** What its skills are stored under: the same for the same source from load to load. */
  readonly key: string;
  readonly bytes: number;
  read(onBytes: (read: number) => void): AsyncIterable<SourceItem>;
}

const PROGRESS_INTERVAL_MS = 100;

/**
 * Loads skills into a catalogue: adds new ones, updates changed ones, by id. The catalogue's file is replaced at the
 * end, in one step; until then readers see the former one. A load that changes nothing writes nothing; one that was
 * killed is gone on with by the next load of the same sources.
 *
 * Rows that cannot become a skill are in the report; the load goes on without them.
 *
 * @throws {SkillSearchError} before anything is written: `SOURCE_NOT_FOUND`, `INVALID_SOURCE`, `INVALID_OPTION`,
 *   `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT`, `DATABASE_NOT_WRITABLE`, `LOAD_IN_PROGRESS`
 * @throws the signal's reason when aborted
 * @example
 * const report = await buildCatalogue({ database: 'skills.db', sources: ['catalogue.jsonl.gz', './skills'] });
 */
export async function buildCatalogue(options: BuildOptions): Promise<LoadReport> {
  const database = resolveDatabase(options.database);
  if (!Array.isArray(options.sources) || options.sources.length === 0) {
    throw new SkillSearchError('INVALID_OPTION', 'sources must be an array of at least one source');
  }
  const sources = await Promise.all(options.sources.map((source, i) => openSource(source, i, database, options)));
  options.signal?.throwIfAborted();

  const writer = new CatalogueWriter(database, loadKeyOf(sources, options), existsSync(database));
  try {
    return await load(writer, sources, options);
  } finally {
    writer.close();
  }
}

/**
 * Removes skills from a catalogue, by id.
 *
 * @returns how many of the ids there were
 * @throws {SkillSearchError} as {@link buildCatalogue}, and `DATABASE_NOT_FOUND`
 */
export function removeSkills(options: { readonly database: string; readonly ids: Iterable<string> }): number {
  const database = resolveDatabase(options.database);
  const ids = [...options.ids];
  const writer = new CatalogueWriter(database, keyOf(['remove', ...ids]), true);
  try {
    for (const id of ids) writer.remove(id);
    return writer.finish().removed;
  } finally {
    writer.close();
  }
}

async function load(
  writer: CatalogueWriter,
  sources: readonly OpenableSource[],
  options: BuildOptions,
): Promise<LoadReport> {
  const ingest = new Ingest(writer);
  const failed: FailedSource[] = [];
  const empty: string[] = [];
  const bytesTotal = sources.reduce((sum, source) => sum + source.bytes, 0);
  const started = performance.now();
  let bytesBefore = 0;
  for (const source of sources) {
    const skillsBefore = ingest.skills;
    let bytesRead = bytesBefore;
    let told = 0;
    const tell = (): void => {
      told = performance.now();
      options.onProgress?.({ phase: 'reading', source: source.name, rows: ingest.rows, bytesRead, bytesTotal });
    };
    const items = source.read((read) => {
      bytesRead = bytesBefore + read;
    });
    const onFailure = ({ message }: Error): unknown => failed.push({ origin: source.name, reason: message });
    for await (const item of untilFailure(items, options.signal, onFailure)) {
      options.signal?.throwIfAborted();
      ingest.take(item, source.key);
      if (performance.now() - told > PROGRESS_INTERVAL_MS) tell();
    }
    tell();
    if (ingest.skills === skillsBefore) empty.push(source.name);
    bytesBefore += source.bytes;
  }
  const read = performance.now();

  options.onProgress?.({ phase: 'publishing', source: '', rows: ingest.rows, bytesRead: bytesTotal, bytesTotal });
  for (const name of empty) ingest.warnings.push({ origin: name, message: 'no skill in this source' });
  if (options.prune === true) {
    const keys = sources.map((source) => source.key);
    const doubtful = [...failed.map((failure) => failure.origin), ...empty, ...ingest.incomplete];
    if (doubtful.length > 0) ingest.warnings.push({ origin: doubtful.join(', '), message: NOT_PRUNED });
    else writer.prune(keys, ingest.sparedIds, ingest.sparedPlaces);
  }
  const counts = writer.finish();
  const { warnings, rejected, storingMs } = ingest;
  const seconds = {
    reading: (read - started - storingMs) / 1000,
    storing: storingMs / 1000,
    publishing: (performance.now() - read) / 1000,
  };
  return { ...counts, warnings, rejected, failed, seconds };
}

const NOT_PRUNED = 'nothing was pruned, because a source failed, was closed in part, or held no skill';

/** The items of a source up to where it breaks. Failures of whoever takes the items are not caught here. */
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

function resolveDatabase(database: unknown): string {
  const path = resolve(checkDatabase(database));
  // A link stays a link: what it leads to is replaced.
  return existsSync(path) ? realpathSync(path) : path;
}

async function openSource(source: Source, i: number, database: string, options: BuildOptions): Promise<OpenableSource> {
  if (typeof source !== 'string') return openRows(source, i, options);
  const resolved = await checkSource(source);
  const { signal, author, codehostBase, skillUrlBase, stdin } = options;
  return {
    name: source,
    key: sourceKey(resolved, database),
    bytes: resolved.bytes ?? 0,
    read: (onBytes) => readSource(resolved, { signal, author, codehostBase, skillUrlBase, stdin, onBytes }),
  };
}

function openRows(source: Exclude<Source, string>, i: number, { signal }: BuildOptions): OpenableSource {
  const { name, rows } = isRowSource(source) ? source : { name: `rows ${i + 1}`, rows: source };
  if (!isIterable(rows)) {
    throw new SkillSearchError('INVALID_SOURCE', `source ${i + 1} must be a path or rows that can be iterated`);
  }
  return { name, key: `rows:${name}`, bytes: 0, read: () => readRows(rows, name, { signal }) };
}

function isRowSource(source: Exclude<Source, string>): source is RowSource {
  return typeof source === 'object' && source !== null && 'rows' in source && 'name' in source;
}

/** Relative to the catalogue, so that both can be moved together and the file tells nothing of the machine. */
function sourceKey({ kind, path }: ResolvedSource, database: string): string {
  if (kind === 'stdin') return '-';
  return `${kind}:${relative(dirname(database), path).split(sep).join('/') || '.'}`;
}

function loadKeyOf(sources: readonly OpenableSource[], options: BuildOptions): string {
  const { author = '', codehostBase = '', skillUrlBase = '' } = options;
  return keyOf(['load', author, codehostBase, skillUrlBase, ...sources.map((source) => source.key)]);
}

function keyOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
