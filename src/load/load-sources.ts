import { existsSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import {
  checkDatabase,
  checkFlag,
  checkListener,
  checkSignal,
  isIterable,
  resolveDatabase,
} from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { embedCatalogue } from '../indexing/embed-catalogue.js';
import { indexKeywords } from '../indexing/index-keywords.js';
import { type IndexingOptions, indexVectors } from '../indexing/index-vectors.js';
import { type ChosenModel, chooseModel } from '../semantic/choose-model.js';
import { BUNDLED_MODEL, modelName } from '../semantic/model-folder.js';
import { resolveModelOptions } from '../semantic/model-options.js';
import { checkSource, type ReadOptions, type ResolvedSource, readSource } from '../sources/open-source.js';
import { readRows } from '../sources/rows/read-rows.js';
import type { SourceItem } from '../sources/rows/row.js';
import { CatalogueWriter } from '../store/write/catalogue-writer.js';
import { Ingest } from './ingest.js';
import { loadKey } from './load-key.js';
import type { BuildOptions, LoadProgress, RowSource, Source } from './load-options.js';
import type { FailedSource, LoadReport, LoadWarning } from './load-report.js';

/** A source that was looked at and can be read. */
interface OpenableSource {
  /** As the caller named it, for reports. */
  readonly name: string;
  /** What its skills are stored under: the same for the same source from load to load. */
  readonly key: string;
  readonly bytes: number;
  read(how: Reading): AsyncIterable<SourceItem>;
}

type Reading = Pick<ReadOptions, 'onBytes' | 'isKnown'>;

const PROGRESS_INTERVAL_MS = 100;

/** What `buildCatalogue` does, once it is needed: see there. */
export async function loadSources(options: BuildOptions): Promise<LoadReport> {
  const database = resolveDatabase(checkDatabase(options.database));
  if (!Array.isArray(options.sources) || options.sources.length === 0) {
    throw new SkillSearchError('INVALID_OPTION', 'sources must be an array of at least one source');
  }
  const sources = await Promise.all(options.sources.map((source, i) => openSource(source, i, database, options)));
  checkFlag('prune', options.prune);
  checkFlag('semantic', options.semantic);
  checkListener('onProgress', options.onProgress);
  checkSignal(options.signal);
  const modelOptions = resolveModelOptions(options);
  const model = options.semantic === false ? undefined : await chooseModel(modelOptions);
  options.signal?.throwIfAborted();

  const writer = new CatalogueWriter(database, loadKeyOf(sources, options), existsSync(database));
  try {
    checkModel(writer.vectors.modelBefore, model, database);
    return await load(writer, sources, model, options);
  } finally {
    writer.close();
  }
}

/**
 * Who embedded a catalogue with a model of his own does not want it all embedded again because he forgot to name it. An
 * earlier version of the model that is included gives way without a word.
 */
function checkModel(present: string | undefined, chosen: ChosenModel | undefined, database: string): void {
  if (present === undefined || chosen === undefined || chosen.named) return;
  if (modelName(present) === modelName(chosen.id)) return;
  const message = `${database} has vectors of the model ${present}, and the one that would be used now is ${chosen.id}: name the model (--model), that one to go on with it or ${BUNDLED_MODEL} to embed everything again, or leave vectors out (--no-semantic)`;
  throw new SkillSearchError('MODEL_MISMATCH', message, { path: database });
}

async function load(
  writer: CatalogueWriter,
  sources: readonly OpenableSource[],
  model: ChosenModel | undefined,
  options: BuildOptions,
): Promise<LoadReport> {
  const ingest = new Ingest(writer);
  const { warnings, rejected } = ingest;
  const clock = new PhaseClock();
  const bytesTotal = sources.reduce((sum, source) => sum + source.bytes, 0);
  const tell: Tell = (phase, more) => {
    const progress = { source: '', rows: ingest.rows, bytesRead: bytesTotal, bytesTotal, done: 0, total: 0, ...more };
    options.onProgress?.({ phase, ...progress });
  };

  const { failed, empty } = await readSources(sources, ingest, writer, options, tell);
  const reading = clock.lap() - ingest.storingMs / 1000;

  const embedded = model === undefined ? 0 : await embedOrWarn(writer, model, warnings, options, tell);
  const embedding = clock.lap();

  tell('publishing');
  for (const name of empty) warnings.push({ origin: name, message: 'no skill in this source' });
  if (options.prune === true) {
    const keys = sources.map((source) => source.key);
    const doubtful = [...failed.map((failure) => failure.origin), ...empty, ...ingest.incomplete];
    if (doubtful.length > 0) warnings.push({ origin: doubtful.join(', '), message: NOT_PRUNED });
    else writer.prune(keys, ingest.sparedIds, ingest.sparedPlaces);
  }
  const counts = writer.publish();
  const publishing = clock.lap();

  await indexOrWarn('words', (how) => indexKeywords(writer.path, how), warnings, options, tell);
  await indexOrWarn('vectors', (how) => indexVectors(writer.path, how), warnings, options, tell);
  const seconds = { reading, storing: ingest.storingMs / 1000, embedding, publishing, indexing: clock.lap() };
  return { ...counts, embedded, warnings, rejected, failed, seconds };
}

/** Passes on how far a load is. */
type Tell = (phase: LoadProgress['phase'], more?: Partial<LoadProgress>) => void;

async function readSources(
  sources: readonly OpenableSource[],
  ingest: Ingest,
  writer: CatalogueWriter,
  { signal }: BuildOptions,
  tell: Tell,
): Promise<{ failed: FailedSource[]; empty: string[] }> {
  const failed: FailedSource[] = [];
  const empty: string[] = [];
  let bytesBefore = 0;
  for (const source of sources) {
    const skillsBefore = ingest.skills;
    let bytesRead = bytesBefore;
    let told = 0;
    const tellHere = (): void => {
      told = performance.now();
      tell('reading', { source: source.name, bytesRead });
    };
    const onBytes = (read: number): void => {
      bytesRead = bytesBefore + read;
    };
    const items = source.read({ onBytes, isKnown: (fingerprint) => writer.isKnown(fingerprint, source.key) });
    const onFailure = ({ message }: Error): unknown => failed.push({ origin: source.name, reason: message });
    for await (const item of untilFailure(items, signal, onFailure)) {
      signal?.throwIfAborted();
      ingest.take(item, source.key);
      if (performance.now() - told > PROGRESS_INTERVAL_MS) tellHere();
    }
    tellHere();
    if (ingest.skills === skillsBefore) empty.push(source.name);
    bytesBefore += source.bytes;
  }
  return { failed, empty };
}

/** Without the model runtime, which is optional, a load that did not ask for vectors by name goes on without them. */
async function embedOrWarn(
  writer: CatalogueWriter,
  model: ChosenModel,
  warnings: LoadWarning[],
  { semantic, signal }: BuildOptions,
  tell: Tell,
): Promise<number> {
  try {
    const onProgress = (done: number, total: number): void => tell('embedding', { done, total });
    return await embedCatalogue(writer.vectors, model, { signal, onProgress });
  } catch (error) {
    const missing = error instanceof SkillSearchError && error.code === 'MODEL_RUNTIME_MISSING';
    if (!missing || semantic === true || model.named) throw error;
    warnings.push({ origin: 'vectors', message: `none were made: ${error.message}` });
    return 0;
  }
}

/** The index is derived: where it cannot be written the catalogue is whole all the same. */
async function indexOrWarn(
  origin: 'words' | 'vectors',
  work: (options: IndexingOptions) => Promise<void>,
  warnings: LoadWarning[],
  { signal }: BuildOptions,
  tell: Tell,
): Promise<void> {
  try {
    await work({ signal, onProgress: (done, total) => tell('indexing', { done, total }) });
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof Error)) throw error;
    warnings.push({ origin, message: `their index was not written: ${error.message}` });
  }
}

/** Seconds since the lap before. */
class PhaseClock {
  #last = performance.now();

  lap(): number {
    const now = performance.now();
    const seconds = (now - this.#last) / 1000;
    this.#last = now;
    return seconds;
  }
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

async function openSource(source: Source, i: number, database: string, options: BuildOptions): Promise<OpenableSource> {
  if (typeof source !== 'string') return openRows(source, i, options);
  const resolved = await checkSource(source);
  const { signal, author, codehostBase, skillUrlBase, stdin } = options;
  return {
    name: source,
    key: sourceKey(resolved, database),
    bytes: resolved.bytes ?? 0,
    read: (how) => readSource(resolved, { signal, author, codehostBase, skillUrlBase, stdin, ...how }),
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
  return loadKey(['load', author, codehostBase, skillUrlBase, ...sources.map((source) => source.key)]);
}
