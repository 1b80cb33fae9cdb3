import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { SkillSearchError } from '../../errors.js';
import { type Connection, Database, isBusy, isSqliteError } from '../../sqlite/connection.js';
import { notWritable, openForWriting } from '../database.js';
import { filesBeside } from '../file-names.js';

/** Lets one load run at a time. It is a lock of SQLite, so the operating system releases it when the process dies. */
export class LoadLock {
  readonly #path: string;
  readonly #connection: Connection;

  /** @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE` */
  constructor(catalogue: string) {
    this.#path = filesBeside(catalogue).loadingLock;
    try {
      this.#connection = lockFile(this.#path);
    } catch (error) {
      if (!isBusy(error)) throw notWritable(catalogue, error);
      const message = `another load into ${catalogue} is running`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: catalogue });
    }
  }

  /** May be called more than once. */
  release(): void {
    if (!this.#connection.open) return;
    // Deleted while still locked: whoever opens the path from now on creates a new file and locks that.
    rmSync(this.#path, { force: true });
    this.#connection.close();
  }
}

/** Whether a load into a catalogue is running. Writes nothing. */
export function isLoading(catalogue: string): boolean {
  const path = filesBeside(catalogue).loadingLock;
  if (!existsSync(path)) return false;
  let connection: Connection | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    // Takes a lock that others may share, which whoever loads lets nobody have.
    connection.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return isBusy(error);
  } finally {
    connection?.close();
  }
}

/**
 * Locks the file at a path. The process that holds the lock deletes the file when it is done, perhaps between our
 * opening and our locking, and another process may create a new one. Our lock would then be on a deleted file and keep
 * nobody out, so this compares the file before and after.
 */
function lockFile(path: string): Connection {
  for (;;) {
    closeSync(openSync(path, 'a'));
    const before = inodeOf(path);
    const connection = openLocked(path);
    try {
      if (before !== undefined && before === inodeOf(path)) return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
    connection.close();
  }
}

function openLocked(path: string): Connection {
  const connection = openForWriting(path);
  try {
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
