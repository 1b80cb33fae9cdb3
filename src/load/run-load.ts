import { existsSync } from 'node:fs';
import { checkFlag, checkInteger, checkListener, checkSignal, checkText } from '../core/index.js';
import { type IndexOrWarnOptions, indexOrWarn, indexWhenDue } from '../indexing/index.js';
import { type ChosenModel, chooseModel, resolveModelOptions } from '../semantic/index.js';
import { CatalogueWriter, OpenLoad } from '../store/writing.js';
import { checkClassify, checkModel, classifyOrWarn, embedOrWarn } from './derive.js';
import { Ingest } from './ingest.js';
import type { BuildOptions, SharedOptions } from './load-options.js';
import { type OpenableSource, openSources, readSources } from './open-sources.js';
import { type LoadReport, ReportBuilder } from './reports.js';

/**
 * Runs a load. The sources are read from their beginning each time.
 *
 * @param gone ids of skills that are removed: then there must be a catalogue
 */
export async function runLoad(
  prepared: PreparedLoad,
  target: LoadTarget,
  gone?: readonly string[],
): Promise<LoadReport> {
  const { options, model } = prepared;
  const { database, home } = target;
  const writer = new CatalogueWriter(
    new OpenLoad(database, gone !== undefined || existsSync(database)),
    options.contents,
    home,
  );
  try {
    checkModel(writer.vectors.modelBefore, model, target.shown);
    writer.remove(gone ?? []);
    return await load(writer, prepared, target);
  } finally {
    writer.close();
  }
}

/** The phases of a load. */
async function load(
  writer: CatalogueWriter,
  { options, sources, model }: PreparedLoad,
  target: LoadTarget,
): Promise<LoadReport> {
  const { signal } = options;
  const report = new ReportBuilder(options);
  const ingest = new Ingest(writer, report, options.contents);
  report.bytesTotal = sources.reduce((sum, source) => sum + source.bytes, 0);
  const empty = await readSources(sources, ingest, writer, report, signal);
  report.end('reading');

  const damaged = model === undefined ? 0 : await writer.removeDamagedVectors(signal);
  if (damaged > 0) report.warn({ origin: 'catalogue', message: `${damaged} vectors were damaged, and are made again` });
  report.embedded = await embedOrWarn(writer.vectors, model, report, options);
  report.classified = await classifyOrWarn(writer.labels, model, report, options);
  report.end('embedding');

  report.tell('publishing');
  for (const name of empty) report.warn({ origin: name, message: 'no skill in this source' });
  pruneOrWarn(writer, sources, ingest, report, empty, options.prune);
  const counts = writer.publish();
  await target.handOn?.();
  report.end('publishing');

  await target.index(report.indexing());
  return report.finish(counts);
}

/**
 * Prunes only if every source was read completely: else a skill that was not read would be taken for removed. Unless
 * the caller says, the installed skills are pruned, whatever became of other sources.
 *
 * @param empty names of sources without a skill
 */
function pruneOrWarn(
  writer: CatalogueWriter,
  sources: readonly OpenableSource[],
  { spared, incomplete, incompleteKeys }: Ingest,
  report: ReportBuilder,
  empty: readonly string[],
  prune: boolean | undefined,
): void {
  const pruned = sources.filter(({ prunes }) => prune ?? prunes === true);
  if (pruned.length === 0) return;
  const isMeant = ({ origin }: { readonly origin: string }): boolean =>
    prune === true || pruned.some(({ name }) => name === origin);
  const doubts = [
    ...report.failed.map(({ origin }) => ({ origin, message: 'the source could not be read to its end' })),
    ...empty.map((origin) => ({ origin, message: 'the source held no skill' })),
  ].filter(isMeant);
  if (prune === true || pruned.some(({ key }) => incompleteKeys.has(key))) doubts.push(...incomplete.values());
  for (const doubt of doubts) report.warn({ ...doubt, message: `nothing was pruned, because ${doubt.message}` });
  if (doubts.length > 0) return;
  writer.prune(
    pruned.map(({ key }) => key),
    spared,
  );
}

/** A load whose options are checked, and whose sources and model are there. */
export interface PreparedLoad {
  readonly options: LoadOptions;
  readonly sources: readonly OpenableSource[];
  /** Undefined if no vectors are to be made. */
  readonly model: ChosenModel | undefined;
}

/** The options of a load, but for where it goes. */
export type LoadOptions = Omit<BuildOptions, 'database' | keyof SharedOptions>;

const FLAGS = ['prune', 'semantic', 'followLinks', 'git', 'contents', 'classify'] as const;

/**
 * Checks all that can be checked before anything is written.
 *
 * @param home the folder that paths of sources are stored relative to
 */
export async function prepareLoad(options: LoadOptions, home: string): Promise<PreparedLoad> {
  const sources = await openSources(options, home);
  for (const name of ['author', 'codehostBase', 'skillUrlBase'] as const) checkText(name, options[name]);
  for (const name of FLAGS) checkFlag(name, options[name]);
  checkListener('onProgress', options.onProgress);
  checkSignal(options.signal);
  for (const name of ['maxUnpackedBytes', 'maxRatio', 'maxListedProblems', 'gitSeconds'] as const) {
    checkInteger({ name, code: 'INVALID_OPTION' }, options[name], 0, Number.MAX_SAFE_INTEGER);
  }
  const modelOptions = resolveModelOptions(options);
  const model = options.semantic === false ? undefined : await chooseModel(modelOptions);
  await checkClassify(options, model);
  options.signal?.throwIfAborted();
  return { options, sources, model };
}

/** Where a load writes: a catalogue of its own, or one whose differences go into a catalogue that others share. */
export interface LoadTarget {
  /** Path of the file that is written, resolved; it need not exist. */
  readonly database: string;
  /** What messages call the catalogue. */
  readonly shown: string;
  /** The folder that paths of skills are stored relative to; undefined for that of the file. */
  readonly home: string | undefined;
  /** Hands on what the file has now. If the process is killed before it returns, the next run reports the load. */
  readonly handOn: (() => Promise<void>) | undefined;
  /** Brings the derived files up to date after a load of whole sources. */
  index(progress: IndexOrWarnOptions): Promise<void>;
  /** Brings them up to date after a small change, if that is due. */
  indexWhenDue(progress: IndexOrWarnOptions): Promise<void>;
}

/** A catalogue of its own, in a file. */
export function fileTarget(database: string): LoadTarget {
  return {
    database,
    shown: database,
    home: undefined,
    handOn: undefined,
    index: (progress) => indexOrWarn(database, progress),
    indexWhenDue: (progress) => indexWhenDue(database, progress),
  };
}
