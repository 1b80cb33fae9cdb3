import { type ChosenModel, chooseModel } from '../semantic/choose-model.js';
import { resolveModelOptions } from '../semantic/model-options.js';
import { CatalogueWriter } from '../store/write/catalogue-writer.js';
import { OpenChange } from '../store/write/open-change.js';
import { canClassifyInPlace, classifyOrWarn } from './classify-or-warn.js';
import { embedOrWarn } from './embed-or-warn.js';
import { indexWhenDue } from './index-when-due.js';
import { Ingest } from './ingest.js';
import type { BuildOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';
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

/**
 * Writes a small change into the file of a catalogue, in one transaction.
 *
 * @param database an existing catalogue, its path resolved
 * @returns undefined if that needs a whole load: nothing is changed then
 */
export async function changeInPlace(
  database: string,
  { read }: SmallChange,
  options: Omit<BuildOptions, 'sources' | 'database'>,
): Promise<LoadReport | undefined> {
  const { signal, contents, maxListedProblems } = options;
  const change = await OpenChange.inTurn(database, signal);
  if (change === undefined) return undefined;
  const writer = new CatalogueWriter(database, change, true, contents);
  try {
    const present = writer.vectors.modelBefore;
    const model = await modelInPlace(present, options);
    if (model === 'another' || !(await canClassifyInPlace(writer.labels, options))) return undefined;

    const ingest = new Ingest(writer, maxListedProblems, contents);
    const { warnings, rejected, unlisted } = ingest;
    const progress = new Progress(options.onProgress, ingest, 0);
    const clock = new PhaseClock();
    if (!(await read(ingest, writer))) return undefined;
    const storing = ingest.storingMs / 1000;
    const reading = clock.lap() - storing;
    const embedded = model === undefined ? 0 : await embedOrWarn(writer.vectors, model, warnings, options, progress);
    const classified = await classifyOrWarn(writer.labels, model, warnings, { signal });
    const embedding = clock.lap();
    const counts = writer.publish();
    const publishing = clock.lap();
    await indexWhenDue(database, present !== undefined, warnings, signal, progress);
    ingest.warnOfUnlisted();
    return {
      ...counts,
      embedded,
      classified,
      warnings,
      warningCount: warnings.length + unlisted.warnings,
      rejected,
      rejectedCount: rejected.length + unlisted.rejected,
      failed: [],
      seconds: { reading, storing, embedding, publishing, indexing: clock.lap() },
    };
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
  options: Omit<BuildOptions, 'sources' | 'database'>,
): Promise<ChosenModel | undefined | 'another'> {
  const { semantic } = options;
  if (semantic === false) return undefined;
  if (present === undefined) return semantic === true ? 'another' : undefined;
  const model = await chooseModel(resolveModelOptions(options));
  return model.id === present ? model : 'another';
}
