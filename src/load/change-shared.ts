import type { ChosenModel } from '../semantic/index.js';
import type { ChangeCounts, OpenChange } from '../store/index.js';
import { CatalogueWriter } from '../store/index.js';
import { type ChangeOptions, modelInPlace, type SmallChange } from './change-in-place.js';
import { canClassifyInPlace, classifyOrWarn } from './derive.js';
import { Ingest } from './ingest.js';
import type { LoadReport } from './reports.js';
import { ReportBuilder } from './reports.js';
import type { SmallTarget } from './small-target.js';
import { type LackingTexts, VectorsOfChange } from './vectors-of-change.js';

/**
 * Makes a small change in a shared catalogue, with the report of one in a file. It is tried on the local copy: once to
 * find the texts that have no vector, and again with these. Words, vectors and categories are published together.
 *
 * @returns undefined if that needs a whole load: nothing is changed then
 */
export async function changeShared(
  target: SmallTarget,
  { read }: SmallChange,
  options: ChangeOptions,
): Promise<LoadReport | undefined> {
  const vectors = new VectorsOfChange(options);
  for (;;) {
    const tried = await target.tryOut((change) => writeChange(change, { read }, vectors, target.home, options));
    if (tried === undefined) return undefined;
    const { report, model, lacking, counts } = tried.result;
    if (lacking !== undefined) {
      await vectors.make(lacking, model, options, target.vectors());
      continue;
    }
    await tried.publish();
    report.end('publishing');
    await target.indexWhenDue(report.indexing());
    report.embedded = vectors.embedded;
    return report.finish(counts);
  }
}

interface WrittenChange {
  readonly report: ReportBuilder;
  /** Undefined if no vectors are to be made. */
  readonly model: ChosenModel | undefined;
  /** Texts whose vectors are wanted first: it has to be written again with them. */
  readonly lacking: LackingTexts | undefined;
  readonly counts: ChangeCounts;
}

async function writeChange(
  change: OpenChange,
  { read }: SmallChange,
  vectors: VectorsOfChange,
  home: string,
  options: ChangeOptions,
): Promise<WrittenChange | undefined> {
  const { signal, contents } = options;
  const writer = new CatalogueWriter(change.path, change, true, contents, home);
  try {
    const report = new ReportBuilder(options);
    const { modelBefore } = writer.vectors;
    const model = await modelInPlace(modelBefore, options);
    if (model === 'another' || !(await canClassifyInPlace(writer.labels, options))) return undefined;
    if (!(await read(new Ingest(writer, report, contents), writer))) return undefined;
    report.end('reading');
    const lacking = modelBefore === undefined ? undefined : vectors.putInto(writer.vectors, modelBefore);
    if (lacking === undefined) {
      for (const warning of vectors.report.problems().warnings) report.warn(warning);
      report.classified = await classifyOrWarn(writer.labels, model, report, { signal });
    }
    return { report, model, lacking, counts: writer.publish() };
  } finally {
    writer.close();
  }
}
