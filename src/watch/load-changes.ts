import { buildCatalogue } from '../load/build-catalogue.js';
import type { BuildOptions } from '../load/load-options.js';
import type { LoadReport } from '../load/load-report.js';
import type { Embedder } from '../semantic/embedder.js';
import type { WatchedSource } from './watched-source.js';

/** What to load: whole sources, and folders of others. */
export interface LoadPlan {
  readonly whole: readonly WatchedSource[];
  readonly folders: ReadonlyMap<WatchedSource, readonly string[]>;
}

/** The options of a watch for each of its loads. */
export type WatchedLoad = Omit<BuildOptions, 'sources' | 'prune' | 'model' | 'embedder'>;

/** Origin of warnings that say which skills could not be classified. */
const CATEGORIES = 'categories';

/** Loads what a plan says, without vectors. A whole source loses what is no longer in it. */
export async function loadChanges(plan: LoadPlan, options: WatchedLoad): Promise<LoadReport> {
  const sources = [...plan.whole, ...plan.folders.keys()].map(({ toLoad }) => toLoad);
  const report = await buildCatalogue({ ...options, sources, prune: true, semantic: false });
  // What has no vector yet is classified when it has one.
  return options.semantic === false ? report : without(CATEGORIES, report);
}

/** Makes the vectors that are missing in the catalogue, whatever it was loaded from. Reads no source. */
export async function loadVectors(embedder: Embedder, options: WatchedLoad): Promise<LoadReport> {
  const nothing = { name: 'vectors of a watch', rows: [] };
  const report = await buildCatalogue({ ...options, sources: [nothing], embedder, semantic: true });
  return without(nothing.name, report);
}

function without(origin: string, report: LoadReport): LoadReport {
  const warnings = report.warnings.filter((warning) => warning.origin !== origin);
  return { ...report, warnings, warningCount: report.warningCount - report.warnings.length + warnings.length };
}
