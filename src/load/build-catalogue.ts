import type { BuildOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';

/**
 * Loads skills into a catalogue: adds new ones and updates changed ones, by id. The catalogue's file is replaced at the
 * end, in one step; until then readers see the former one. A load that changes nothing writes nothing. The next load of
 * the same sources resumes one that was killed.
 *
 * Rows that cannot become a skill are in the report. They do not stop the load.
 *
 * @throws {SkillSearchError} before anything is written: `SOURCE_NOT_FOUND`, `INVALID_SOURCE`, `INVALID_OPTION`,
 *   `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT`, `DATABASE_NOT_WRITABLE`, `LOAD_IN_PROGRESS`,
 *   `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`, `MODEL_MISMATCH`
 * @throws {SkillSearchError} after the sources were read: `EMBEDDER_FAILED`, `MODEL_NOT_READABLE`, and
 *   `MODEL_RUNTIME_MISSING` if vectors were asked for explicitly. What was read is kept for the next load of the same
 *   sources
 * @throws the signal's reason when aborted
 * @example
 * const report = await buildCatalogue({ database: 'skills.db', sources: ['catalogue.jsonl.gz', './skills'] });
 */
export async function buildCatalogue(options: BuildOptions): Promise<LoadReport> {
  // Reading sources takes as much code as all of searching. A program that only searches need not load it.
  const { loadSources } = await import('./load-sources.js');
  return loadSources(options);
}
