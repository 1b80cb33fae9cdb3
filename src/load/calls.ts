import type { ModelOptions } from '../semantic/index.js';
import type { WrittenFiles } from '../share/index.js';
import type { BuildOptions, SharedOptions } from './load-options.js';
import type { CheckReport, LoadReport } from './reports.js';

// The calls that write or read whole catalogues. Their work is imported when it is asked for: reading sources takes as
// much code as all of searching, and a program that only searches need not link it.

/**
 * Loads skills into a catalogue: adds new ones and updates changed ones, by id. The catalogue's file is replaced at the
 * end, in one step; until then readers see the former one. A load that changes nothing writes nothing. The next load
 * takes over the vectors that a killed one made.
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
  const { loadSources } = await import('./writing.js');
  return loadSources(options);
}

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
  const { updateRows } = await import('./writing.js');
  return updateRows(options);
}

/** Options of {@link removeSkills}. */
export interface RemoveOptions extends SharedOptions {
  /** The catalogue's file, or the address of a database of PostgreSQL. */
  readonly database: string;
  /** Ids of the skills to remove. One that no skill has is no error. */
  readonly ids: Iterable<string>;
}

/**
 * Removes skills from a catalogue, by id. Up to 500 are removed in place, as by `updateSkills`: within a second, and
 * without another index. More are removed as by a load. The derived files stay in use either way.
 *
 * @returns how many of the ids were there
 * @throws {SkillSearchError} as `buildCatalogue`, and `DATABASE_NOT_FOUND`
 */
export async function removeSkills(options: RemoveOptions): Promise<number> {
  const { removeIds } = await import('./writing.js');
  return removeIds(options);
}

/** Options of {@link checkCatalogue}. */
export interface CheckOptions extends SharedOptions {
  /**
   * The catalogue's file, or the address of a database of PostgreSQL: its local copy is brought up to date and checked,
   * and compared with the database.
   */
  readonly database: string;
  /**
   * Whether to make again what can be derived: indexes of SQLite, derived files. Damaged vectors are removed, so that
   * the next load makes them again. A damaged skill is kept as it is until a load brings it again. For PostgreSQL: to
   * make the local copy anew, and to delete a damaged snapshot; rows of the database are never changed.
   *
   * @default false
   */
  readonly repair?: boolean | undefined;
  /** Stops the check. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads everything of a catalogue and of its derived files, and compares it with its checksums and with itself. Takes
 * some seconds for a gigabyte; SQLite's own part of it blocks the event loop.
 *
 * A repair goes the way of every load: readers see the former file until the new one replaces it.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`; with `repair` also `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`; for PostgreSQL these, and
 *   `SERVICE_UNAVAILABLE`, and those of connecting
 * @throws the signal's reason when aborted
 * @example
 * const { problems } = await checkCatalogue({ database: 'skills.db' });
 * for (const { problem, remedy } of problems) console.log(`${problem}: ${remedy}`);
 */
export async function checkCatalogue(options: CheckOptions): Promise<CheckReport> {
  const { checkAll } = await import('./check-catalogue.js');
  return checkAll(options);
}

/** Options of {@link copyCatalogue}. */
export interface CopyOptions extends SharedOptions {
  /** The catalogue's file; or the address of a database of PostgreSQL, whose local copy is brought up to date first. */
  readonly from: string;
  /** Path of the copy. */
  readonly to: string;
  /** Whether to replace what is at `to`. Readers that have it open go on reading that. @default false */
  readonly overwrite?: boolean | undefined;
}

/**
 * Copies a catalogue and its derived files, so that a load into the copy can update them instead of building new ones.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_WRITABLE`, those of opening the catalogue at `from`;
 *   `CATALOGUE_EXISTS` if there is something at `to`, unless `overwrite` is true; `LOAD_IN_PROGRESS` if a load or a
 *   small change is writing there; from PostgreSQL also `SERVICE_UNAVAILABLE`, `DATABASE_NOT_FOUND` if nothing was ever
 *   published, and those of connecting
 */
export async function copyCatalogue(options: CopyOptions): Promise<void> {
  const { copyTo } = await import('./reading.js');
  return copyTo(options);
}

/** Options of {@link writeSnapshot}. */
export interface SnapshotOptions extends SharedOptions {
  /**
   * Path of the catalogue's file, which is only read; or the address of a database of PostgreSQL, whose local copy is
   * brought up to date first.
   */
  readonly database: string;
  /** The folder that the snapshot is written into. It is made where there is none. */
  readonly to: string;
  /**
   * Whether to delete chunks that neither this snapshot nor the one before it uses: who follows may still be fetching
   * that one.
   *
   * @default false
   */
  readonly prune?: boolean | undefined;
  /** Stops the writing. The snapshot before stays. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link writeSnapshot} did. */
export interface SnapshotReport extends WrittenFiles {
  /** Which version of a catalogue in PostgreSQL it is; only for such a one. */
  readonly version?: number;
}

/**
 * Writes the files of a catalogue into a folder, so that any web server or bucket can hand them on: chunks that are
 * named by their SHA-256 and never change, and a manifest that says which of them make up the catalogue. The manifest
 * is written last. A chunk that is there already is not written again.
 *
 * Of a catalogue in PostgreSQL it is one published version: the newest when the writing began.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; those of opening the catalogue; `LOAD_IN_PROGRESS` if a load does not
 *   end, or changes follow one another too fast; `SNAPSHOT_NOT_WRITABLE`; for PostgreSQL also `SERVICE_UNAVAILABLE`,
 *   and those of connecting
 * @throws the signal's reason when aborted
 */
export async function writeSnapshot(options: SnapshotOptions): Promise<SnapshotReport> {
  const { snapshotInto } = await import('./reading.js');
  return snapshotInto(options);
}
