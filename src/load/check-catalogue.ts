import {
  checkDatabase,
  checkFlag,
  checkNotShared,
  checkOptions,
  checkSignal,
  isPostgresAddress,
  namesOf,
  resolveDatabase,
} from '../core/index.js';
import type { CheckReport } from './check-report.js';
import type { SharedOptions } from './load-options.js';

export interface CheckOptions extends SharedOptions {
  /**
   * The catalogue's file, or the address of a database of PostgreSQL: its local copy is brought up to date and checked,
   * and compared with the database.
   */
  readonly database: string;
  /**
   * Whether to make again what can be derived: indexes of SQLite, derived files. Damaged vectors are removed, so that
   * the next load makes them again. A damaged skill is kept as it is until a load brings it again. For PostgreSQL: to
   * make the local copy anew, and to delete a damaged checkpoint; rows of the database are never changed.
   *
   * @default false
   */
  readonly repair?: boolean | undefined;
  /** Stops the check. */
  readonly signal?: AbortSignal | undefined;
}

const CHECK_OPTIONS = namesOf<CheckOptions>({
  database: true,
  cache: true,
  passwordFile: true,
  repair: true,
  signal: true,
});

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
  checkOptions(options, CHECK_OPTIONS);
  const isShared = isPostgresAddress(options.database);
  const database = isShared ? '' : resolveDatabase(checkDatabase(options.database));
  if (!isShared) checkNotShared(options);
  checkFlag('repair', options.repair);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  if (isShared) {
    const { cache, passwordFile, repair } = options;
    const { checkShared } = await import('./check-shared.js');
    return checkShared({ database: options.database, cache, passwordFile }, { repair: repair === true, signal });
  }
  // Imported when it is used: a program that only searches need not load it.
  const { findProblems } = await import('./find-problems.js');
  const found = await findProblems(database, signal);
  const all = [...found.problems, ...found.outdated];
  if (options.repair !== true || all.length === 0) return { ...found, repaired: [] };
  const { repairCatalogue } = await import('./repair-catalogue.js');
  const { repairedProblems } = await import('./repaired-problems.js');
  await repairCatalogue(database, signal);
  const left = await findProblems(database, signal);
  return { ...left, repaired: repairedProblems(all, left) };
}
