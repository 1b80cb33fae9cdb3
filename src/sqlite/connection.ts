import BetterSqlite3 from 'better-sqlite3';
import { type ErrorCode, SkillSearchError } from '../errors.js';
import { nativeHandles } from './native-handles.js';

/** A connection to SQLite. Only this file knows which package it comes from. */
export type Connection = BetterSqlite3.Database;
export type Statement<Parameters extends unknown[], Row> = BetterSqlite3.Statement<Parameters, Row>;

/** A new connection. Every connection is made here. */
export class Database extends BetterSqlite3 {
  constructor(path: string, options?: BetterSqlite3.Options) {
    super(path, options);
    nativeHandles.keep(this);
  }
}

const WRITE_FAILURES = [
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_DIR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_DELETE',
  'SQLITE_IOERR_CLOSE',
  // The shared memory of a write-ahead log is a file, too.
  'SQLITE_IOERR_SHM',
  'SQLITE_IOERR_GETTEMPPATH',
  'SQLITE_CANTOPEN',
];

/**
 * Turns an error of SQLite into one of ours, and returns any other error as it is. Writing can fail in reading, too.
 *
 * @param notADatabase the code for a file that is no database at all
 */
export function databaseError(error: unknown, path: string, doing: 'read' | 'write', notADatabase: ErrorCode): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === 'SQLITE_NOTADB') {
    return new SkillSearchError(notADatabase, `${path} is no database`, { path, cause: error });
  }
  const [code, verb] =
    doing === 'write' && WRITE_FAILURES.some((prefix) => error.code.startsWith(prefix))
      ? (['DATABASE_NOT_WRITABLE', 'write'] as const)
      : (['DATABASE_NOT_READABLE', 'read'] as const);
  return new SkillSearchError(code, `cannot ${verb} ${path}: ${error.message}`, { path, cause: error });
}

/** Whether an error says that another connection has locked the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Whether an error comes from SQLite. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof BetterSqlite3.SqliteError;
}
