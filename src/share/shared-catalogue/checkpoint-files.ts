import { constants, existsSync, linkSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../core/index.js';
import { derivedFiles, FileLock, filesBeside } from '../../store/index.js';
import { CATALOGUE_NAME, FILE_NAMES } from '../snapshot/manifest.js';

/**
 * The files of a copy as they are at one moment, in a folder of their own, so that reading them takes as long as it
 * likes. One process of a machine has them at a time; what one has left that was killed is deleted.
 */
export class CheckpointFiles {
  /** Path of the catalogue. */
  readonly database: string;
  readonly #folder: string;
  readonly #lock: FileLock;

  private constructor(folder: string, lock: FileLock) {
    this.#folder = folder;
    this.#lock = lock;
    this.database = join(folder, CATALOGUE_NAME);
  }

  /** @returns undefined if another process has them */
  static claim(folder: string): CheckpointFiles | undefined {
    makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
    const lock = FileLock.take(join(folder, 'lock'));
    return lock === undefined ? undefined : new CheckpointFiles(folder, lock);
  }

  /**
   * Takes the files of a copy.
   *
   * @param copy nobody else changes it meanwhile
   * @returns false if its derived files are being written
   */
  async take(copy: string): Promise<boolean> {
    this.#delete();
    const indexing = FileLock.take(filesBeside(copy).indexingLock);
    if (indexing === undefined) return false;
    try {
      // It is changed in place, so another name for it would not do.
      await copyFile(copy, this.database, constants.COPYFILE_FICLONE);
      const { atime, mtime } = statSync(copy);
      utimesSync(this.database, atime, mtime);
      const places = derivedFiles(this.database);
      for (const [i, file] of derivedFiles(copy).entries()) if (existsSync(file)) await linkOrCopy(file, places[i]!);
      return true;
    } finally {
      indexing.release();
    }
  }

  /** Deletes the files. */
  remove(): void {
    this.#delete();
    this.#lock.release();
    try {
      rmdirSync(this.#folder);
    } catch {
      // Another process has claimed it already.
    }
  }

  #delete(): void {
    for (const name of FILE_NAMES) rmSync(join(this.#folder, name), { force: true });
  }
}

/** Derived files are replaced, never changed. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch {
    // Not every file system has names for one file twice.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}
