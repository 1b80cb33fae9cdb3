import type { BuildOptions, LoadReport } from '../load/index.js';
import { buildCatalogue, updateSkills } from '../load/index.js';
import type { Embedder } from '../semantic/index.js';
import type { WatchedSource } from './watched-source.js';

/** What to load. */
export interface LoadPlan {
  /** Sources of which much may have changed: they are loaded as a whole. */
  readonly whole: readonly WatchedSource[];
  /** Sources of which little has changed, and the folders that it is in; without any, all of the source is read. */
  readonly parts: ReadonlyMap<WatchedSource, readonly string[]>;
}

/** The options of a watch for each of its loads. */
export type WatchedLoad = Omit<BuildOptions, 'sources' | 'prune' | 'model' | 'embedder'>;

/** Origin of warnings that say which skills could not be classified. */
const CATEGORIES = 'categories';

/** Loads what a plan says, without vectors. Sources lose what is no longer in them. */
export async function loadChanges({ whole, parts }: LoadPlan, options: WatchedLoad): Promise<LoadReport> {
  const words = { ...options, semantic: false };
  const reports: LoadReport[] = [];
  if (whole.length > 0) {
    const sources = whole.map(({ toLoad }) => toLoad);
    reports.push(await buildCatalogue({ ...words, sources, prune: true }));
  }
  if (parts.size > 0) {
    const { updateSources } = await import('../load/writing.js');
    const changed = [...parts].map(([{ toLoad: source }, folders]) => ({ source, folders }));
    reports.push(await updateSources({ ...words, changed }));
  }
  const report = reports.reduce(together);
  // What has no vector yet is classified when it has one.
  return options.semantic === false ? report : without(CATEGORIES, report);
}

/** Makes the vectors that are missing in the catalogue, whatever it was loaded from. Reads no source. */
export async function loadVectors(embedder: Embedder, options: WatchedLoad): Promise<LoadReport> {
  const { database, cache, passwordFile, maxListedProblems, onProgress, signal } = options;
  const shared = { database, cache, passwordFile, maxListedProblems, onProgress, signal, embedder, semantic: true };
  // Embeds, in place, what small changes have brought.
  const report = without(NOTHING, await updateSkills({ ...shared, source: NOTHING, rows: [] }));
  if (report.embedded > 0) return report;
  const whole = await buildCatalogue({ ...options, ...shared, sources: [{ name: NOTHING, rows: [] }] });
  return without(NOTHING, whole);
}

/** A source without rows. */
const NOTHING = 'vectors of a watch';

function without(origin: string, report: LoadReport): LoadReport {
  const warnings = report.warnings.filter((warning) => warning.origin !== origin);
  return { ...report, warnings, warningCount: report.warningCount - report.warnings.length + warnings.length };
}

/** One report of two loads. */
function together(a: LoadReport, b: LoadReport): LoadReport {
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
    embedded: a.embedded + b.embedded,
    classified: a.classified + b.classified,
    warnings: [...a.warnings, ...b.warnings],
    warningCount: a.warningCount + b.warningCount,
    rejected: [...a.rejected, ...b.rejected],
    rejectedCount: a.rejectedCount + b.rejectedCount,
    failed: [...a.failed, ...b.failed],
    seconds: {
      reading: a.seconds.reading + b.seconds.reading,
      storing: a.seconds.storing + b.seconds.storing,
      embedding: a.seconds.embedding + b.seconds.embedding,
      publishing: a.seconds.publishing + b.seconds.publishing,
      indexing: a.seconds.indexing + b.seconds.indexing,
    },
  };
}
