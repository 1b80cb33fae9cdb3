import { closeSync, openSync } from 'node:fs';
import { SkillSearchError } from '../core/index.js';
import { type Connection, Database, databaseError, isBusy } from '../store/index.js';

/** `PRAGMA application_id` of a state file: the letters SKAC. It distinguishes state files from other databases. */
const APPLICATION_ID = 0x534b4143;
const FORMAT_VERSION = 1;

/** Milliseconds that a process waits for another one to finish writing: while it opens the file, and later. */
const OPENING_TIMEOUT = 5000;
const BUSY_TIMEOUT = 1000;

/**
 * - `api_key.hash` is the SHA-256 of the key; the key itself is not stored. `daily` and `per_minute` are null where the
 *   server's limits count.
 * - `usage` has a row for each client: `day_count` requests were answered on `day` (days since 1970, UTC), and
 *   `minute_count` requests came in the minute from `minute_start` (milliseconds since 1970).
 */
const SCHEMA = `
CREATE TABLE api_key (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  daily INTEGER,
  per_minute INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE usage (
  client TEXT PRIMARY KEY,
  day INTEGER NOT NULL,
  day_count INTEGER NOT NULL,
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX usage_day ON usage (day);
`;

/**
 * Opens the file of keys and counters. Creates it if it does not exist. Several processes may have it open at once.
 *
 * The journal is a write-ahead log that is not synced at every commit. Counts survive a crash of the process; a power
 * failure may lose those of the last moments.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_NOT_READABLE`, `NOT_A_STATE_FILE`, `UNSUPPORTED_FORMAT`
 */
export function openStateFile(path: string): Connection {
  let connection: Connection | undefined;
  try {
    makePrivate(path);
    connection = new Database(path, { timeout: OPENING_TIMEOUT });
    // Checked before the first write: the file may belong to another program. Checked in one transaction, because
    // another process may be creating the tables.
    const opened = connection;
    opened.transaction(() => checkFormat(opened, path)).deferred();
    useWriteAheadLog(connection);
    connection.pragma('synchronous = NORMAL');
    createTables(connection, path);
    waitForLocks(connection, true);
    return connection;
  } catch (error) {
    connection?.close();
    // better-sqlite3 throws a TypeError if the folder does not exist.
    throw error instanceof TypeError
      ? new SkillSearchError('DATABASE_NOT_WRITABLE', `cannot write ${path}: ${error.message}`, { path, cause: error })
      : stateError(error, path);
  }
}

/**
 * Lets a connection wait for the locks of other processes, or not. Waiting stops everything else in this process, so
 * once it was in vain, requests fail at once until the lock is gone.
 */
export function waitForLocks(connection: Connection, waits: boolean): void {
  connection.pragma(`busy_timeout = ${waits ? BUSY_TIMEOUT : 0}`);
}

/** Turns an error of SQLite into a `SkillSearchError`. Other errors stay as they are. */
export function stateError(error: unknown, path: string): unknown {
  return databaseError(error, path, 'write', 'NOT_A_STATE_FILE');
}

/** Creates the file readable by its owner only: it has client addresses. SQLite gives its journal the same rights. */
function makePrivate(path: string): void {
  if (path === ':memory:') return;
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite reports the cause when it opens the file.
  }
}

/** @returns whether the file has its tables */
function checkFormat(connection: Connection, path: string): boolean {
  const applicationId = connection.pragma('application_id', { simple: true });
  const version = connection.pragma('user_version', { simple: true });
  const tables = connection.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (applicationId === 0 && version === 0 && tables === 0) return false;
  if (applicationId !== APPLICATION_ID) {
    const message = `${path} is a database, but not one of keys and quotas`;
    throw new SkillSearchError('NOT_A_STATE_FILE', message, { path });
  }
  if (version === FORMAT_VERSION) return true;
  const message = `${path} has state format ${version}, this version reads format ${FORMAT_VERSION}`;
  throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path });
}

/** Tries again while the file is busy: SQLite's own timeout does not cover a change of the journal mode. */
function useWriteAheadLog(connection: Connection): void {
  const end = Date.now() + OPENING_TIMEOUT;
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Creates the tables, unless another process has. Also finds out whether the file can be written. */
function createTables(connection: Connection, path: string): void {
  connection
    .transaction(() => {
      if (!checkFormat(connection, path)) connection.exec(SCHEMA);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${FORMAT_VERSION}`);
    })
    .immediate();
}
