import { closeSync, openSync } from 'node:fs';
import { SkillSearchError } from '../errors.js';
import { type Connection, Database, databaseError, isBusy } from '../sqlite/connection.js';

/** `PRAGMA application_id` of a state file: the letters SKAC. Tells our files from other SQLite databases. */
const APPLICATION_ID = 0x534b4143;
const FORMAT_VERSION = 1;

/** How long one process waits for another that writes, in milliseconds: while it opens the file, and later. */
const OPENING_TIMEOUT = 5000;
const BUSY_TIMEOUT = 1000;

/**
 * - `api_key.hash` is the SHA-256 of the key, which is kept nowhere. `daily` and `per_minute` are null where the
 *   server's own limits count.
 * - `usage` has a row for each client: of `day` (days since 1970, UTC) the requests that were answered, and the requests
 *   of the minute that began at `minute_start` (milliseconds since 1970).
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
 * Opens the file of keys and counters, making it if need be. Several processes may have it open at once.
 *
 * The journal is a write-ahead log that is not synced at every commit: what was counted survives the end of the
 * process, however sudden; only a power cut may take the last moments with it.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_NOT_READABLE`, `NOT_A_STATE_FILE`, `UNSUPPORTED_FORMAT`
 */
export function openStateFile(path: string): Connection {
  let connection: Connection | undefined;
  try {
    makePrivate(path);
    connection = new Database(path, { timeout: OPENING_TIMEOUT });
    // Before anything is written: the file may be somebody else's. In one transaction, since another process may be
    // making the tables.
    const opened = connection;
    opened.transaction(() => checkFormat(opened, path)).deferred();
    useWriteAheadLog(connection);
    connection.pragma('synchronous = NORMAL');
    createTables(connection, path);
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT}`);
    return connection;
  } catch (error) {
    connection?.close();
    // `new Database` itself reports a folder that does not exist by a TypeError.
    throw error instanceof TypeError
      ? new SkillSearchError('DATABASE_NOT_WRITABLE', `cannot write ${path}: ${error.message}`, { path, cause: error })
      : stateError(error, path);
  }
}

/** An error of SQLite as one of ours; any other error as it is. */
export function stateError(error: unknown, path: string): unknown {
  return databaseError(error, path, 'write', 'NOT_A_STATE_FILE');
}

/** A new file is for its owner only: it says which addresses have asked. SQLite gives its other files the same rights. */
function makePrivate(path: string): void {
  if (path === ':memory:') return;
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite says what is wrong with it.
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

/** Two processes that open a new file at the same moment get in each other's way here, whatever the timeout. */
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

/** One of several processes makes the tables. A file that cannot be written is found out here, too. */
function createTables(connection: Connection, path: string): void {
  connection
    .transaction(() => {
      if (!checkFormat(connection, path)) connection.exec(SCHEMA);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${FORMAT_VERSION}`);
    })
    .immediate();
}
