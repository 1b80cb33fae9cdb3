import { type ChosenModel, chooseModel, resolveModelOptions } from '../semantic/index.js';
import type { ChangeCounts } from '../store/index.js';
import { CatalogueWriter, OpenChange } from '../store/index.js';
import { canClassifyInPlace, classifyOrWarn } from './classify-or-warn.js';
import { embedOrWarn } from './embed-or-warn.js';
import { Ingest } from './ingest.js';
import type { BuildOptions } from './load-options.js';
import type { LoadReport, LoadWarning } from './load-report.js';
import type { LoadTarget } from './load-target.js';
import { PhaseClock } from './phase-clock.js';
import { Progress } from './progress.js';

/** What a small change brings. */
export interface SmallChange {
  /**
   * Hands the rows to the load.
   *
   * @returns false if they cannot be read in part: then nothing is changed
   */
  readonly read: (ingest: Ingest, writer: CatalogueWriter) => Promise<boolean>;
}

export type ChangeOptions = Omit<BuildOptions, 'sources' | 'database' | 'cache' | 'passwordFile'>;

/**
 * Writes a small change into the file of a catalogue, in one transaction. In a second one follow the vectors of new
 * texts, and categories that are derived from these: starting a model takes longer than all the rest, and until then
 * the skills are found by words.
 *
 * @param target its file exists
 * @returns undefined if that needs a whole load: nothing is changed then
 */
export async function changeInPlace(
  target: LoadTarget,
  { read }: SmallChange,
  options: ChangeOptions,
): Promise<LoadReport | undefined> {
  const { database, home } = target;
  const { signal, contents, maxListedProblems } = options;
  const change = await OpenChange.inTurn(database, signal);
  if (change === undefined) return undefined;
  const writer = new CatalogueWriter(database, change, true, contents, home);
  const ingest = new Ingest(writer, maxListedProblems, contents);
  const clock = new PhaseClock();
  let model: ChosenModel | undefined;
  let [storing, reading, publishing] = [0, 0, 0];
  let counts: ChangeCounts;
  try {
    const chosen = await modelInPlace(writer.vectors.modelBefore, options);
    if (chosen === 'another' || !(await canClassifyInPlace(writer.labels, options))) return undefined;
    model = chosen;
    if (!(await read(ingest, writer))) return undefined;
    storing = ingest.storingMs / 1000;
    reading = clock.lap() - storing;
    counts = writer.publish();
    publishing = clock.lap();
  } finally {
    writer.close();
  }
  const { warnings, rejected, unlisted } = ingest;
  const progress = new Progress(options.onProgress, ingest, 0);
  const derived = await derive(target, model, options, warnings, progress);
  ingest.warnOfUnlisted();
  return {
    ...counts,
    embedded: derived.embedded,
    classified: derived.classified,
    warnings,
    warningCount: warnings.length + unlisted.warnings,
    rejected,
    rejectedCount: rejected.length + unlisted.rejected,
    failed: [],
    seconds: { reading, storing, embedding: derived.seconds, publishing, indexing: clock.lap() - derived.seconds },
  };
}

/** Makes what is missing since the last whole load: vectors, derived categories, and derived files if they are due. */
async function derive(
  target: LoadTarget,
  model: ChosenModel | undefined,
  options: ChangeOptions,
  warnings: LoadWarning[],
  progress: Progress,
): Promise<{ readonly embedded: number; readonly classified: number; readonly seconds: number }> {
  const { database, home } = target;
  const { signal } = options;
  const clock = new PhaseClock();
  const change = await OpenChange.inTurn(database, signal);
  // Somebody has replaced the catalogue meanwhile.
  if (change === undefined) return { embedded: 0, classified: 0, seconds: 0 };
  const writer = new CatalogueWriter(database, change, true, options.contents, home);
  try {
    const isSame = model !== undefined && writer.vectors.modelBefore === model.id;
    const used = isSame ? model : undefined;
    const embedded = await embedOrWarn(writer.vectors, used, warnings, options, progress, target.vectors);
    const classified = await classifyOrWarn(writer.labels, model, warnings, { signal });
    writer.publish();
    await target.handOn?.();
    const seconds = clock.lap();
    await target.indexWhenDue(progress.ofIndexing(warnings, signal));
    return { embedded, classified, seconds };
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
export async function modelInPlace(
  present: string | undefined,
  options: ChangeOptions,
): Promise<ChosenModel | undefined | 'another'> {
  const { semantic } = options;
  if (semantic === false) return undefined;
  if (present === undefined) return semantic === true ? 'another' : undefined;
  const model = await chooseModel(resolveModelOptions(options));
  return model.id === present ? model : 'another';
}
