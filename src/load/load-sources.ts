import { existsSync } from 'node:fs';
import {
  checkDatabase,
  checkFlag,
  checkInteger,
  checkListener,
  checkOptions,
  checkSignal,
  checkText,
  resolveDatabase,
} from '../check-arguments.js';
import { indexOrWarn } from '../indexing/index-or-warn.js';
import { type ChosenModel, chooseModel } from '../semantic/choose-model.js';
import { resolveModelOptions } from '../semantic/model-options.js';
import { CatalogueWriter } from '../store/write/catalogue-writer.js';
import { loadKey } from '../store/write/open-load.js';
import { checkModel } from './check-model.js';
import { checkClassify, classifyOrWarn } from './classify-or-warn.js';
import { embedOrWarn } from './embed-or-warn.js';
import { Ingest } from './ingest.js';
import { BUILD_OPTIONS, type BuildOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';
import { type OpenableSource, openSources } from './open-sources.js';
import { PhaseClock } from './phase-clock.js';
import { Progress } from './progress.js';
import { readSources, type SourcesRead } from './read-sources.js';

/** Sources that a warning names. */
const MAX_NAMED = 20;

/** The work of `buildCatalogue`. */
export async function loadSources(options: BuildOptions): Promise<LoadReport> {
  checkOptions(options, BUILD_OPTIONS);
  const database = resolveDatabase(checkDatabase(options.database));
  const sources = await openSources(options, database);
  checkFlag('prune', options.prune);
  checkFlag('semantic', options.semantic);
  for (const name of ['author', 'codehostBase', 'skillUrlBase'] as const) checkText(name, options[name]);
  checkFlag('followLinks', options.followLinks);
  checkFlag('git', options.git);
  checkFlag('contents', options.contents);
  checkFlag('classify', options.classify);
  checkListener('onProgress', options.onProgress);
  checkSignal(options.signal);
  for (const name of ['maxUnpackedBytes', 'maxRatio', 'maxListedProblems', 'gitSeconds'] as const) {
    checkInteger({ name, code: 'INVALID_OPTION' }, options[name], 0, Number.MAX_SAFE_INTEGER);
  }
  const modelOptions = resolveModelOptions(options);
  const model = options.semantic === false ? undefined : await chooseModel(modelOptions);
  await checkClassify(options, model);
  options.signal?.throwIfAborted();

  const writer = new CatalogueWriter(database, keyOf(sources, options), existsSync(database), options.contents);
  try {
    checkModel(writer.vectors.modelBefore, model, database);
    return await load(writer, sources, model, options);
  } finally {
    writer.close();
  }
}

/** The phases of a load. */
async function load(
  writer: CatalogueWriter,
  sources: readonly OpenableSource[],
  model: ChosenModel | undefined,
  options: BuildOptions,
): Promise<LoadReport> {
  const { signal } = options;
  const ingest = new Ingest(writer, options.maxListedProblems, options.contents);
  const { warnings, rejected } = ingest;
  const bytesTotal = sources.reduce((sum, source) => sum + source.bytes, 0);
  const progress = new Progress(options.onProgress, ingest, bytesTotal);
  const clock = new PhaseClock();

  const read = await readSources(sources, ingest, writer, progress, signal);
  const storing = ingest.storingMs / 1000;
  const reading = clock.lap() - storing;

  const damagedVectors = model === undefined ? 0 : await writer.removeDamagedVectors(signal);
  if (damagedVectors > 0) {
    warnings.push({ origin: 'catalogue', message: `${damagedVectors} vectors were damaged, and are made again` });
  }
  const embedded = model === undefined ? 0 : await embedOrWarn(writer.vectors, model, warnings, options, progress);
  const classified = await classifyOrWarn(writer.labels, model, warnings, options);
  const embedding = clock.lap();

  progress.report('publishing');
  for (const name of read.empty) warnings.push({ origin: name, message: 'no skill in this source' });
  pruneOrWarn(writer, sources, ingest, read, options.prune);
  const counts = writer.publish();
  const publishing = clock.lap();

  await indexOrWarn(writer.path, progress.ofIndexing(warnings, signal));
  ingest.warnOfUnlisted();
  const seconds = { reading, storing, embedding, publishing, indexing: clock.lap() };
  writer.reported();
  const { unlisted } = ingest;
  return {
    ...counts,
    embedded,
    classified,
    warnings,
    warningCount: warnings.length + unlisted.warnings,
    rejected,
    rejectedCount: rejected.length + unlisted.rejected,
    failed: read.failed,
    seconds,
  };
}

/**
 * Prunes only if every source was read completely: else a skill that was not read would be taken for removed. Unless
 * the caller says, the installed skills are pruned, whatever became of other sources.
 */
function pruneOrWarn(
  writer: CatalogueWriter,
  sources: readonly OpenableSource[],
  { spared, incomplete, incompleteKeys, warnings }: Ingest,
  { failed, empty }: SourcesRead,
  prune: boolean | undefined,
): void {
  const pruned = sources.filter(({ prunes }) => prune ?? prunes === true);
  if (pruned.length === 0) return;
  const isMeant = (name: string): boolean => prune === true || pruned.some((source) => source.name === name);
  const inPart = prune === true || pruned.some(({ key }) => incompleteKeys.has(key)) ? [...incomplete] : [];
  const doubtful = [...[...failed.map(({ origin }) => origin), ...empty].filter(isMeant), ...inPart];
  if (doubtful.length === 0) {
    const keys = pruned.map(({ key }) => key);
    writer.prune(keys, spared);
    return;
  }
  const message = 'nothing was pruned, because a source failed, was closed in part, or held no skill';
  const more = doubtful.length - MAX_NAMED;
  const origin = doubtful.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  warnings.push({ origin, message });
}

function keyOf(sources: readonly OpenableSource[], options: BuildOptions): string {
  const { author = '', codehostBase = '', skillUrlBase = '', followLinks, git, contents, classify } = options;
  const links = [
    ...(followLinks === true ? ['follow links'] : []),
    ...(git === false ? ['no git'] : []),
    ...(contents === false ? ['no contents'] : []),
    ...(classify === undefined ? [] : [classify ? 'classify' : 'no classify']),
  ];
  return loadKey(['load', ...links, author, codehostBase, skillUrlBase, ...sources.map(({ key }) => key)]);
}
