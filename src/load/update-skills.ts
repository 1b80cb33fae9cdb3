import type { ModelOptions } from '../semantic/index.js';
import type { BuildOptions, SharedOptions } from './load-options.js';
import type { LoadReport } from './load-report.js';

/** Options of {@link updateSkills}. */
export interface UpdateOptions
  extends ModelOptions,
    SharedOptions,
    Pick<BuildOptions, 'semantic' | 'maxListedProblems' | 'onProgress' | 'signal'> {
  /** The catalogue's file, or the address of a database of PostgreSQL. It is created if it does not exist. */
  readonly database: string;
  /** Objects with the fields of a skill. Each is checked like a line of a file. */
  readonly rows: Iterable<unknown> | AsyncIterable<unknown>;
  /**
   * Name of the source that the rows count as, as `RowSource.name`. A load that prunes a source of this name removes
   * skills that it no longer has. @default 'updates'
   */
  readonly source?: string | undefined;
}

/**
 * Adds and updates a few skills, by id: the same as a load of these rows with `buildCatalogue`, within a second in a
 * large catalogue. The catalogue's file is changed in place, in one transaction: after a kill it has all of the change
 * or nothing. Searches that are open go on answering from the state that they opened.
 *
 * By default, vectors are made if the catalogue has vectors. More than 500 rows, rows for a catalogue that does not
 * exist yet, and whatever concerns all skills (another model, say) are loaded as a whole.
 *
 * @throws {SkillSearchError} as `buildCatalogue`; nothing is changed then. `LOAD_IN_PROGRESS` comes after some seconds
 * @throws the signal's reason when aborted
 * @example
 * const rows = [{ id: 'a', name: 'a', description: 'b' }];
 * const { added, updated } = await updateSkills({ database: 'skills.db', rows });
 */
export async function updateSkills(options: UpdateOptions): Promise<LoadReport> {
  // A program that only searches need not load this code.
  const { updateRows } = await import('./update-rows.js');
  return updateRows(options);
}
