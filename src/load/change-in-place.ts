import { type ChosenModel, chooseModel, resolveModelOptions } from '../semantic/index.js';
import { CatalogueWriter, type ChangeCounts, OpenLoad } from '../store/writing.js';
import { canClassifyInPlace, classifyOrWarn, embedOrWarn } from './derive.js';
import { Ingest } from './ingest.js';
import type { BuildOptions } from './load-options.js';
import { type LoadReport, ReportBuilder } from './reports.js';
import type { LoadTarget } from './run-load.js';

/** What a small change brings. */
export interface SmallChange {
  /**
   * Hands the rows to the load.
   *
   * @returns false if they cannot be read in part: then nothing is changed
   */
  readonly read: (ingest: Ingest, writer: CatalogueWriter) => Promise<boolean>;
  /** Whether it brings nothing, so that nothing is embedded. */
  readonly onlyRemoves?: boolean;
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
  { read, onlyRemoves = false }: SmallChange,
  options: ChangeOptions,
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
  options: ChangeOptions,
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
  options: ChangeOptions,
): Promise<ChosenModel | undefined | 'another'> {
  const { semantic } = options;
  if (semantic === false) return undefined;
  if (present === undefined) return semantic === true ? 'another' : undefined;
  const model = await chooseModel(resolveModelOptions(options));
  return model.id === present ? model : 'another';
}
