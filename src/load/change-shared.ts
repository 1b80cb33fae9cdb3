import type { ChosenModel } from '../semantic/index.js';
import type { ChangeCounts, OpenChange } from '../store/index.js';
import { CatalogueWriter } from '../store/index.js';
import { type ChangeOptions, modelInPlace, type SmallChange } from './change-in-place.js';
import { canClassifyInPlace, classifyOrWarn } from './classify-or-warn.js';
import { Ingest } from './ingest.js';
import type { LoadReport } from './load-report.js';
import { PhaseClock } from './phase-clock.js';
import { Progress } from './progress.js';
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
  const { signal } = options;
  const vectors = new VectorsOfChange();
  const clock = new PhaseClock();
  let embedding = 0;
  for (;;) {
    const tried = await target.tryOut((change) => writeChange(change, { read }, vectors, target.home, options));
    if (tried === undefined) return undefined;
    const { ingest, model, lacking, counts, classified } = tried.result;
    const progress = new Progress(options.onProgress, ingest, 0);
    if (lacking !== undefined) {
      clock.lap();
      await vectors.make(lacking, model, options, progress, target.vectors());
      embedding += clock.lap();
      continue;
    }
    const storing = ingest.storingMs / 1000;
    const reading = clock.lap() - storing;
    await tried.publish();
    const publishing = clock.lap();
    const { warnings, rejected, unlisted } = ingest;
    await target.indexWhenDue(progress.ofIndexing(warnings, signal));
    ingest.warnOfUnlisted();
    return {
      ...counts,
      embedded: vectors.embedded,
      classified,
      warnings,
      warningCount: warnings.length + unlisted.warnings,
      rejected,
      rejectedCount: rejected.length + unlisted.rejected,
      failed: [],
      seconds: { reading, storing, embedding, publishing, indexing: clock.lap() },
    };
  }
}

interface WrittenChange {
  readonly ingest: Ingest;
  /** Undefined if no vectors are to be made. */
  readonly model: ChosenModel | undefined;
  /** Texts whose vectors are wanted first: it has to be written again with them. */
  readonly lacking: LackingTexts | undefined;
  readonly counts: ChangeCounts;
  readonly classified: number;
}

async function writeChange(
  change: OpenChange,
  { read }: SmallChange,
  vectors: VectorsOfChange,
  home: string,
  options: ChangeOptions,
): Promise<WrittenChange | undefined> {
  const { signal, contents, maxListedProblems } = options;
  const writer = new CatalogueWriter(change.path, change, true, contents, home);
  try {
    const ingest = new Ingest(writer, maxListedProblems, contents);
    const { modelBefore } = writer.vectors;
    const model = await modelInPlace(modelBefore, options);
    if (model === 'another' || !(await canClassifyInPlace(writer.labels, options))) return undefined;
    if (!(await read(ingest, writer))) return undefined;
    const lacking = modelBefore === undefined ? undefined : vectors.putInto(writer.vectors, modelBefore);
    let classified = 0;
    if (lacking === undefined) {
      ingest.warnings.push(...vectors.warnings);
      classified = await classifyOrWarn(writer.labels, model, ingest.warnings, { signal });
    }
    return { ingest, model, lacking, counts: writer.publish(), classified };
  } finally {
    writer.close();
  }
}
