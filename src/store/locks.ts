import { existsSync, rmSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { orUndefined, SkillSearchError } from '../core/index.js';
import { notWritable, openForWriting, orClose } from './database.js';
import { filesBeside } from './files.js';
import { type Connection, Database, isBusy, isSqliteError } from './sqlite.js';

/** How often a lock that is waited for is tried, in milliseconds. */
const LOOK_AGAIN = 100;

/**
 * A file that one holder at a time has locked. It is a lock of SQLite, so the operating system releases it when the
 * process dies. Two holders in one process keep each other out, too.
 */
export class FileLock {
  readonly #path: string;
  readonly #connection: Connection;

  private constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
  }

  /**
   * Takes the lock. The file is made where there is none.
   *
   * @returns undefined if somebody else holds it
   * @throws SQLite's error if the file cannot be made or written
   */
  static take(path: string): FileLock | undefined {
    return orUndefined(() => new FileLock(path, lockFile(path)), isBusy);
  }

  /**
   * Takes the lock that lets one load run at a time.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
   */
  static ofLoad(catalogue: string): FileLock {
    let lock: FileLock | undefined;
    try {
      lock = FileLock.take(filesBeside(catalogue).loadingLock);
    } catch (error) {
      throw notWritable(catalogue, error);
    }
    if (lock !== undefined) return lock;
    throw new SkillSearchError('LOAD_IN_PROGRESS', `another load into ${catalogue} is running`, { path: catalogue });
  }

  /**
   * Takes the lock when whoever holds it has ended.
   *
   * @param isNeeded asked again and again while somebody else has it
   * @returns undefined if it is not needed any more
   * @throws the signal's reason when aborted, and as {@link FileLock.take}
   */
  static async takeInTurn(
    path: string,
    signal: AbortSignal | undefined,
    isNeeded: () => boolean,
  ): Promise<FileLock | undefined> {
    while (isNeeded()) {
      signal?.throwIfAborted();
      const lock = FileLock.take(path);
      if (lock !== undefined) return lock;
      await setTimeout(LOOK_AGAIN, undefined, { signal });
    }
    return undefined;
  }

  /** Deletes the file. May be called more than once. */
  release(): void {
    if (!this.#connection.open) return;
    // Deleted while still locked: whoever opens the path from now on creates a new file and locks that.
    rmSync(this.#path, { force: true });
    this.#connection.close();
  }
}

/**
 * Locks the file at a path. The process that holds the lock deletes the file when it is done, perhaps between our
 * opening and our locking, and another process may create a new one. Our lock would then be on a deleted file and keep
 * nobody out, so this compares the file before and after.
 *
 * Only SQLite opens the file: a process that closes a file loses all locks that it has on it, and only SQLite knows of
 * those of this process.
 */
function lockFile(path: string): Connection {
  for (;;) {
    if (!existsSync(path)) openForWriting(path).close();
    const before = inodeOf(path);
    const connection = openLocked(path);
    const isSame = orClose(connection, () => before !== undefined && before === inodeOf(path));
    if (isSame) return connection;
    connection.close();
  }
}

function openLocked(path: string): Connection {
  return orClose(openForWriting(path), (connection) => {
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  });
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
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
