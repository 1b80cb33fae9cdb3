import { MAX_FILE_CHECK_TIME, MAX_SNAPSHOT_CHECK_TIME, SkillSearchError } from '../core/index.js';
import { beyondRepair, NEW_FILE } from './damaged.js';
import { SCHEMA } from './schema.js';
import { checkFile, type FileCheck, UnreadableFileError } from './sqlite/check-file.js';
import type { Connection } from './sqlite/connection.js';

/** All that the schema of a catalogue says. The second is SQLite's own, for the numbers of vectors. */
const STATEMENTS: readonly string[] = [...SCHEMA, 'CREATE TABLE sqlite_sequence(name,seq)'];

/**
 * Compares the schema of a database with the one that this version writes: exactly its tables, columns, indexes and
 * triggers. Must come before any statement reads a table: a view in place of a table, or an expression in an index, may
 * have SQLite compute without end, and nothing can interrupt it.
 *
 * @throws {SkillSearchError} `NOT_A_CATALOGUE`
 */
export function checkSchema(connection: Connection, path: string): void {
  const missing = new Set(STATEMENTS);
  // An index that comes with its table has no SQL, and SQLite itself sees to it that the table is there.
  const found = connection
    .prepare<[number], [type: string, name: string, sql: string]>(
      'SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL LIMIT ?',
    )
    .raw()
    .all(STATEMENTS.length + 1);
  for (const [type, name, sql] of found) {
    if (!missing.delete(sql)) throw foreign(path, `its ${type} \`${name.slice(0, 100)}\` is none of a catalogue`);
  }
  const [lost] = missing;
  if (lost !== undefined) throw foreign(path, `it lacks ${lost.slice(0, lost.indexOf('(')).trim()}`);
}

/**
 * What SQLite finds wrong with the pages of a file that may be no catalogue, looked for in a process of its own.
 *
 * @param time milliseconds that it may take
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if whoever reads the file might read for ever, or the check took longer
 * @throws the signal's reason when aborted
 */
export async function structureFaults(
  path: string,
  extent: FileCheck['extent'],
  signal?: AbortSignal,
  time: number = extent === 'quick' ? MAX_SNAPSHOT_CHECK_TIME : MAX_FILE_CHECK_TIME,
): Promise<readonly string[]> {
  try {
    return await checkFile(path, { schema: STATEMENTS, extent, time, signal });
  } catch (error) {
    throw error instanceof UnreadableFileError ? beyondRepair(path, error.message, error) : error;
  }
}

function foreign(path: string, reason: string): SkillSearchError {
  const message = `${path} is not a catalogue of skill-discovery: ${reason}; ${NEW_FILE}`;
  return new SkillSearchError('NOT_A_CATALOGUE', message, { path });
}
