import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { SkillSearchError } from '../../core/index.js';
import {
  checkFormat,
  choosePages,
  createSchema,
  isCorrupt,
  notWritable,
  openForReading,
  openForWriting,
  storeError,
} from '../database.js';
import { writeFacts } from '../facts.js';
import { type CatalogueFiles, filesBeside, sqliteFiles } from '../file-names.js';
import { readMeta, writeMeta } from '../meta.js';
import { newStamp } from '../new-stamp.js';
import { PAGE_BYTES } from '../page-bytes.js';
import { type NamedState, putNote } from '../shared-note.js';
import { type Connection, isSqliteError } from '../sqlite/connection.js';
import { LoadLock } from './load-lock.js';
import { replaceCatalogue } from './replace-catalogue.js';
import { takeVectors } from './take-vectors.js';

/** The stamp of a catalogue that does not exist yet. */
const NO_STAMP = 'nothing';

/** The file that a load writes until it is published, and the right to load; see {@link CatalogueFiles}. */
export class WorkingCopy {
  readonly #catalogue: string;
  readonly #files: CatalogueFiles;
  readonly #lock: LoadLock;
  /** Whether there is a working copy of a killed load that nobody can resume. */
  #hasStaleLeftOver = false;

  private constructor(catalogue: string, lock: LoadLock) {
    this.#catalogue = catalogue;
    this.#files = filesBeside(catalogue);
    this.#lock = lock;
  }

  /**
   * Takes the right to load into a catalogue. Publishes a load that was killed after its end but before its
   * publication.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
   */
  static claim(catalogue: string): WorkingCopy {
    const copy = new WorkingCopy(catalogue, new LoadLock(catalogue));
    try {
      removeDatabase(copy.#files.loadingPart);
      copy.#publishFinished();
      return copy;
    } catch (error) {
      copy.release();
      throw error;
    }
  }

  /** Gives up the right to load. The working copy stays, for a later load to resume. */
  release(): void {
    this.#lock.release();
  }

  /**
   * A load resumes a leftover working copy only if the sources match and the catalogue has not changed. Any other
   * leftover stays until a working copy takes its place: {@link create} takes its vectors.
   *
   * @returns the working copy of a killed load with the same key; undefined if there is none
   */
  resume(loadKey: string): Connection | undefined {
    if (!existsSync(this.#files.loading)) return undefined;
    const connection = this.#openLeftover();
    if (connection === undefined) {
      this.discard();
      return undefined;
    }
    const key = readMeta(connection, 'load_key');
    const isCurrent = readMeta(connection, 'replaces') === this.#currentStamp();
    if (isCurrent && key === loadKey) return prepareForLoad(connection);
    this.#hasStaleLeftOver = !isCurrent || key === undefined;
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.close();
    return undefined;
  }

  /**
   * Makes a working copy of the catalogue, or an empty one if there is no catalogue yet.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_DAMAGED`
   */
  create(loadKey: string): Connection {
    return this.#writing(() => {
      const { loading, loadingPart } = this.#files;
      const exists = existsSync(this.#catalogue);
      if (exists) {
        copyFileSync(this.#catalogue, loadingPart, constants.COPYFILE_FICLONE);
        // Even if the catalogue is read-only: it is replaced, not changed.
        chmodSync(loadingPart, statSync(loadingPart).mode | 0o200);
      }
      const part = openForWriting(loadingPart);
      if (!exists) choosePages(part);
      // One transaction, because each waits for the disk.
      part.exec('BEGIN');
      if (!exists) createSchema(part);
      writeMeta(part, 'replaces', this.#currentStamp());
      writeMeta(part, 'load_key', loadKey);
      part.exec('COMMIT');
      if (existsSync(loading)) takeVectors(part, loading);
      part.close();
      removeDatabase(loading);
      this.#hasStaleLeftOver = false;
      renameSync(loadingPart, loading);
      return prepareForLoad(openForWriting(loading));
    });
  }

  /** Deletes the working copy of a killed load if nobody can resume it. */
  forgetStaleLeftOver(): void {
    if (this.#hasStaleLeftOver) this.discard();
  }

  /** Deletes the working copy. Its connection must be closed. */
  discard(): void {
    removeDatabase(this.#files.loading);
  }

  /**
   * Commits the open transaction with a new stamp, and puts the working copy in the catalogue's place.
   *
   * @param beforeCommit called with the new stamp
   * @param beforeReplacing called when everything is written, to close the former catalogue
   * @param state the state that this makes, if it has a name already
   */
  publish(
    connection: Connection,
    beforeCommit: (stamp: string) => void,
    beforeReplacing: () => void,
    state?: NamedState,
  ): void {
    this.#writing(() => {
      const stamp = state?.stamp ?? newStamp();
      beforeCommit(stamp);
      connection.exec("DELETE FROM touched; DELETE FROM meta WHERE key = 'load_key'");
      writeMeta(connection, 'stamp', stamp);
      if (state !== undefined) putNote(connection, stamp, state.note);
      writeFacts(connection);
      connection.exec('COMMIT');
      const databases = connection.pragma('database_list') as { readonly name: string }[];
      if (databases.some(({ name }) => name === 'base')) connection.exec('DETACH base');
      beforeReplacing();
      replaceCatalogue(this.#catalogue, this.#files.loading, connection);
    });
  }

  #publishFinished(): void {
    const connection = existsSync(this.#files.loading) ? this.#openLeftover() : undefined;
    if (connection === undefined) return;
    const isFinished = readMeta(connection, 'load_key') === undefined && readMeta(connection, 'stamp') !== undefined;
    const isCurrent = readMeta(connection, 'replaces') === this.#currentStamp();
    if (isFinished && isCurrent) {
      this.#writing(() => replaceCatalogue(this.#catalogue, this.#files.loading, connection));
    } else connection.close();
  }

  /** The working copy of a killed load; undefined if it is not a readable catalogue. */
  #openLeftover(): Connection | undefined {
    const connection = openForWriting(this.#files.loading);
    try {
      checkFormat(connection, this.#files.loading);
      if (readMeta(connection, 'replaces') !== undefined) return connection;
    } catch (error) {
      if (!isSqliteError(error) && !(error instanceof SkillSearchError)) throw error;
    }
    connection.close();
    return undefined;
  }

  #currentStamp(): string {
    if (!existsSync(this.#catalogue)) return NO_STAMP;
    const connection = openForReading(this.#catalogue);
    try {
      return readMeta(connection, 'stamp') ?? NO_STAMP;
    } finally {
      connection.close();
    }
  }

  #writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isCorrupt(error) ? storeError(error, this.#catalogue, 'write') : notWritable(this.#catalogue, error);
    }
  }
}

/** With a write-ahead log a kill loses only the batch that was not committed. */
function prepareForLoad(connection: Connection): Connection {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  connection.pragma('cache_size = -65536');
  // In pages: 64 MiB. Checkpoints wait for the disk, so this makes them rare.
  connection.pragma(`wal_autocheckpoint = ${2 ** 26 / PAGE_BYTES}`);
  return connection;
}

function removeDatabase(path: string): void {
  for (const file of sqliteFiles(path)) rmSync(file, { force: true });
}
