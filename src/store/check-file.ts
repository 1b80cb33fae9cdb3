import { type ExecFileException, execFile } from 'node:child_process';
import nodeModule from 'node:module';
import { beyondRepair } from './database.js';
import { STATEMENTS } from './schema.js';

/**
 * Milliseconds that SQLite may look through the pages of a snapshot that was fetched, in a process of its own, which is
 * ended then. A gigabyte takes some seconds.
 */
const MAX_SNAPSHOT_CHECK_TIME = 120_000;

/** The same of any file, with its indexes, when somebody asks for a check. */
const MAX_FILE_CHECK_TIME = 600_000;

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

// Not `createRequire` by its name: bundles declare that themselves.

/** What is checked, and for how long. */
export interface FileCheck {
  /** The statements of a schema that is known. Of a file with any other nothing is computed. */
  readonly schema: readonly string[];
  /** `quick`: the first fault of its pages. `full`: up to a hundred, also of its indexes. */
  readonly extent: 'quick' | 'full';
  /** Milliseconds that it may take. */
  readonly time: number;
  readonly signal?: AbortSignal | undefined;
}

/** Thrown when whoever reads a file may read for ever, as far as a check could tell. */
class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** A page that is a part of two others: whoever reads such a tree may read for ever. */
const CIRCLE = '2nd reference';

/**
 * The program of the process. It finds pages that lead in circles first, where SQLite stops at the first fault: with
 * more of them to find it would read all rows that such pages seem to have.
 */
const PROGRAM = `
  const [sqlite, file, circle, known, ...checks] = process.argv.slice(1);
  const statements = JSON.parse(known);
  let lines = [];
  try {
    const open = (options) => new (require(sqlite))(file, { fileMustExist: true, ...options });
    const read = (of) => of.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1000').pluck().all();
    let connection = open({ readonly: true });
    let schema;
    try {
      schema = read(connection);
    } catch (error) {
      // A change was cut off: it is undone by who may write.
      if (error.code !== 'SQLITE_READONLY_ROLLBACK') throw error;
      connection = open({});
      schema = read(connection);
    }
    for (const check of schema.every((sql) => statements.includes(sql)) ? checks : []) {
      lines = connection.pragma(check).map((row) => Object.values(row)[0]).filter((line) => line !== 'ok');
      if (lines.some((line) => line.includes(circle))) break;
    }
  } catch (error) {
    // Whoever opens the file is told of all else.
    if (String(error.code).startsWith('SQLITE_CORRUPT')) lines = [error.message];
    else if (error.code === undefined) throw error;
  }
  process.stdout.write(JSON.stringify(lines));
`;

/**
 * Has SQLite look through a file in a process of its own: nothing can interrupt SQLite, but a process can be ended.
 *
 * @param path absolute
 * @returns what is wrong with the file, in SQLite's words
 * @throws {UnreadableFileError} if its pages lead in circles, or the check took too long or failed
 * @throws the signal's reason when aborted
 */
export async function checkFile(path: string, { schema, extent, time, signal }: FileCheck): Promise<readonly string[]> {
  const checks = extent === 'quick' ? ['quick_check(1)'] : ['quick_check(1)', 'integrity_check(100)'];
  const sqlite = nodeModule.createRequire(import.meta.url).resolve('better-sqlite3');
  const given = ['--input-type=commonjs', '-e', PROGRAM, sqlite, path, CIRCLE, JSON.stringify(schema), ...checks];
  const env = { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' };
  const limits = { timeout: time, killSignal: 'SIGKILL', signal, env, maxBuffer: 2 ** 24 } as const;
  const [error, output] = await new Promise<[ExecFileException | null, string]>((resolve) => {
    execFile(process.execPath, given, limits, (failure, stdout) => resolve([failure, stdout]));
  });
  signal?.throwIfAborted();
  if (error === null) {
    const faults = JSON.parse(output) as string[];
    if (!faults.some((fault) => fault.includes(CIRCLE))) return faults;
    throw new UnreadableFileError(`its pages lead in circles: ${faults.join('; ')}`);
  }
  const reason = error.killed === true ? `took longer than ${time / 1000} s` : `failed: ${error.message.slice(-200)}`;
  throw new UnreadableFileError(`the check of its pages ${reason}`, { cause: error });
}
