import type { BuildOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';

/**
 * Loads skills into a catalogue: adds new ones, updates changed ones, by id. The catalogue's file is replaced at the
 * end, in one step; until then readers see the former one. A load that changes nothing writes nothing; one that was
 * killed is gone on with by the next load of the same sources.
 *
 * Rows that cannot become a skill are in the report; the load goes on without them.
 *
 * @throws {SkillSearchError} before anything is written: `SOURCE_NOT_FOUND`, `INVALID_SOURCE`, `INVALID_OPTION`,
 *   `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT`, `DATABASE_NOT_WRITABLE`, `LOAD_IN_PROGRESS`,
 *   `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`, `MODEL_MISMATCH`
 * @throws {SkillSearchError} after the sources were read, what was read being kept for the next load of the same
 *   sources: `EMBEDDER_FAILED`, `MODEL_NOT_READABLE`, `MODEL_RUNTIME_MISSING` where vectors were asked for by name
 * @throws the signal's reason when aborted
 * @example
 * const report = await buildCatalogue({ database: 'skills.db', sources: ['catalogue.jsonl.gz', './skills'] });
 */
export async function buildCatalogue(options: BuildOptions): Promise<LoadReport> {
  // What reads sources is as much code as all that searches: who only searches does not wait for it.
  const { loadSources } = await import('./load-sources.js');
  return loadSources(options);
}
