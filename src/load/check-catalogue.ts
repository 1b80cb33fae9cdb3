import { checkDatabase, checkFlag, checkOptions, checkSignal, namesOf, resolveDatabase } from '../check-arguments.js';
import type { CheckReport } from './check-report.js';

export interface CheckOptions {
  /** The catalogue's file. */
  readonly database: string;
  /**
   * Whether to make again what can be derived: indexes of SQLite, derived files. Damaged vectors are removed, so that
   * the next load makes them again. A damaged skill is kept as it is until a load brings it again.
   *
   * @default false
   */
  readonly repair?: boolean | undefined;
  /** Stops the check. */
  readonly signal?: AbortSignal | undefined;
}

const CHECK_OPTIONS = namesOf<CheckOptions>({ database: true, repair: true, signal: true });

/**
 * Reads everything of a catalogue and of its derived files, and compares it with its checksums and with itself. Takes
 * some seconds for a gigabyte; SQLite's own part of it blocks the event loop.
 *
 * A repair goes the way of every load: readers see the former file until the new one replaces it.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`; with `repair` also `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 * @example
 * const { problems } = await checkCatalogue({ database: 'skills.db' });
 * for (const { problem, remedy } of problems) console.log(`${problem}: ${remedy}`);
 */
export async function checkCatalogue(options: CheckOptions): Promise<CheckReport> {
  checkOptions(options, CHECK_OPTIONS);
  const database = resolveDatabase(checkDatabase(options.database));
  checkFlag('repair', options.repair);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  // Imported when it is used: a program that only searches need not load it.
  const { findProblems } = await import('./find-problems.js');
  const found = await findProblems(database, signal);
  const all = [...found.problems, ...found.outdated];
  if (options.repair !== true || all.length === 0) return { ...found, repaired: [] };
  const { repairCatalogue } = await import('./repair-catalogue.js');
  await repairCatalogue(database, signal);
  const left = await findProblems(database, signal);
  const isLeft = new Set([...left.problems, ...left.outdated].map(nameOf));
  return { ...left, repaired: all.filter((problem) => !isLeft.has(nameOf(problem))) };
}

function nameOf({ part, skill, problem }: CheckReport['problems'][number]): string {
  return JSON.stringify([part, skill, problem]);
}
