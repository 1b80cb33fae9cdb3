import { existsSync } from 'node:fs';
import { CatalogueWriter } from '../store/index.js';
import { checkModel } from './check-model.js';
import { classifyOrWarn } from './classify-or-warn.js';
import { embedOrWarn } from './embed-or-warn.js';
import { Ingest } from './ingest.js';
import type { LoadReport, LoadWarning } from './load-report.js';
import type { LoadTarget } from './load-target.js';
import type { OpenableSource } from './open-sources.js';
import { PhaseClock } from './phase-clock.js';
import type { PreparedLoad } from './prepare-load.js';
import { Progress } from './progress.js';
import { readSources, type SourcesRead } from './read-sources.js';

/** Runs a load. The sources are read from their beginning each time. */
export async function runLoad(prepared: PreparedLoad, target: LoadTarget): Promise<LoadReport> {
  const { options, model, key } = prepared;
  const { database, home } = target;
  const writer = new CatalogueWriter(database, key, existsSync(database), options.contents, home);
  try {
    checkModel(writer.vectors.modelBefore, model, target.shown);
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
  const embedded = await embedOrWarn(writer.vectors, model, warnings, options, progress, target.vectors);
  const classified = await classifyOrWarn(writer.labels, model, warnings, options);
  const embedding = clock.lap();

  progress.report('publishing');
  for (const name of read.empty) warnings.push({ origin: name, message: 'no skill in this source' });
  pruneOrWarn(writer, sources, ingest, read, options.prune);
  const counts = writer.publish();
  await target.handOn?.();
  const publishing = clock.lap();

  await target.index(progress.ofIndexing(warnings, signal));
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
  const inPart = prune === true || pruned.some(({ key }) => incompleteKeys.has(key)) ? [...incomplete.values()] : [];
  const atAll = [
    ...failed.map(({ origin }) => ({ origin, message: 'the source could not be read to its end' })),
    ...empty.map((origin) => ({ origin, message: 'the source held no skill' })),
  ];
  const doubts: LoadWarning[] = [...atAll.filter(({ origin }) => isMeant(origin)), ...inPart];
  if (doubts.length === 0) {
    const keys = pruned.map(({ key }) => key);
    writer.prune(keys, spared);
    return;
  }
  for (const { message, ...where } of doubts) {
    warnings.push({ ...where, message: `nothing was pruned, because ${message}` });
  }
}
