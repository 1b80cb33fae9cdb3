import { existsSync } from 'node:fs';
import { SkillSearchError } from '../../core/index.js';
import { notWritable } from '../database.js';
import { FileLock } from '../file-lock.js';
import { filesBeside } from '../file-names.js';
import { type Connection, Database, isBusy, isSqliteError } from '../sqlite/connection.js';

/** Lets one load run at a time. */
export class LoadLock {
  readonly #lock: FileLock;

  /** @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE` */
  constructor(catalogue: string) {
    const lock = takeOrRefuse(catalogue);
    if (lock === undefined) {
      const message = `another load into ${catalogue} is running`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: catalogue });
    }
    this.#lock = lock;
  }

  /** May be called more than once. */
  release(): void {
    this.#lock.release();
  }
}

/** Whether a load into a catalogue is running. Writes nothing. */
export function isLoading(catalogue: string): boolean {
  return isLocked(filesBeside(catalogue).loadingLock);
}

/** Whether somebody writes derived files of a copy of a shared catalogue. Writes nothing. */
export function isIndexing(copy: string): boolean {
  return isLocked(filesBeside(copy).indexingLock);
}

function isLocked(path: string): boolean {
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

function takeOrRefuse(catalogue: string): FileLock | undefined {
  try {
    return FileLock.take(filesBeside(catalogue).loadingLock);
  } catch (error) {
    throw notWritable(catalogue, error);
  }
}
