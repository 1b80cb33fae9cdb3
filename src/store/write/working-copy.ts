import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SkillSearchError } from '../../errors.js';
import { type Connection, isBusy, isSqliteError } from '../../sqlite/connection.js';
import { createSchema, openForReading, openForWriting } from '../database.js';
import { filesBeside } from '../file-names.js';
import { readMeta, writeMeta } from '../meta.js';
import { APPLICATION_ID, FORMAT_VERSION, KNOWN_ROWS, TEXT_SIGNATURES } from '../schema.js';

/** What stands for the stamp of a catalogue that does not exist yet. */
const NOTHING = 'nothing';

/** Space that deleted rows may leave in a published file before it is packed. */
const MAX_FREE_SHARE = 0.25;

/**
 * The file a load works on, beside the catalogue it will replace:
 *
 *     skills.db              what readers open; never written
 *     skills.db.loading      the working copy; survives a kill and is then gone on with
 *     skills.db.loading-part a copy in the making
 *     skills.db.loading-left what a killed load of other sources left, for its vectors
 *     skills.db.loading-lock held while a load runs
 */
export class WorkingCopy {
  readonly #catalogue: string;
  readonly #path: string;
  readonly #part: string;
  readonly #left: string;
  readonly #lock: LoadLock;

  private constructor(catalogue: string, lock: LoadLock) {
    this.#catalogue = catalogue;
    const { loading, loadingPart, loadingLeft } = filesBeside(catalogue);
    this.#path = loading;
    this.#part = loadingPart;
    this.#left = loadingLeft;
    this.#lock = lock;
  }

  /**
   * Takes the right to load into a catalogue. A load that was killed between its end and its publication is published.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
   */
  static claim(catalogue: string): WorkingCopy {
    const copy = new WorkingCopy(catalogue, new LoadLock(filesBeside(catalogue).loadingLock));
    try {
      removeDatabase(copy.#part);
      copy.#publishFinished();
      return copy;
    } catch (error) {
      copy.release();
      throw error;
    }
  }

  /** Gives the right back; the working copy stays for the next load to go on with. */
  release(): void {
    this.#lock.release();
  }

  /**
   * The working copy that a killed load of the same key left behind, or undefined. One of another load, or one that
   * was made of another state of the catalogue, is of no use but for its vectors: the next working copy takes them over.
   */
  resume(loadKey: string): Connection | undefined {
    if (!existsSync(this.#path)) return undefined;
    const connection = this.#openLeftOver();
    if (connection !== undefined) {
      if (readMeta(connection, 'load_key') === loadKey && readMeta(connection, 'replaces') === this.#currentStamp()) {
        return prepareForLoad(connection);
      }
      connection.pragma('wal_checkpoint(TRUNCATE)');
      connection.close();
      removeDatabase(this.#left);
      renameSync(this.#path, this.#left);
    }
    this.discard();
    return undefined;
  }

  /** Makes a working copy of the catalogue as it stands, or an empty one. */
  create(loadKey: string): Connection {
    return this.#writing(() => {
      removeDatabase(this.#path);
      const exists = existsSync(this.#catalogue);
      if (exists) {
        copyFileSync(this.#catalogue, this.#part, constants.COPYFILE_FICLONE);
        // The copy of a file that may only be read is written all the same; it is replaced, not changed.
        chmodSync(this.#part, statSync(this.#part).mode | 0o200);
      }
      const part = openForWriting(this.#part);
      // In one transaction: each waits for the disk.
      part.exec('BEGIN');
      if (!exists) createSchema(part);
      writeMeta(part, 'replaces', this.#currentStamp());
      writeMeta(part, 'load_key', loadKey);
      part.exec('COMMIT');
      if (existsSync(this.#left)) takeVectors(part, this.#left);
      part.close();
      removeDatabase(this.#left);
      renameSync(this.#part, this.#path);
      return prepareForLoad(openForWriting(this.#path));
    });
  }

  /** Deletes what a killed load of other sources left. */
  forgetLeftOver(): void {
    removeDatabase(this.#left);
  }

  /** Deletes the working copy. Its connection must be closed. */
  discard(): void {
    removeDatabase(this.#path);
  }

  /**
   * Ends the open transaction with a new stamp, makes the working copy one self-contained file, and puts it in the
   * catalogue's place.
   *
   * @param beforeReplacing called when all is written, to let go of the former catalogue
   */
  publish(connection: Connection, beforeReplacing: () => void): void {
    this.#writing(() => {
      connection.exec("DELETE FROM touched; DELETE FROM meta WHERE key = 'load_key'");
      writeMeta(connection, 'stamp', randomBytes(16).toString('hex'));
      connection.exec('COMMIT');
      const attached = connection.pragma('database_list') as { readonly name: string }[];
      if (attached.some(({ name }) => name === 'base')) connection.exec('DETACH base');
      beforeReplacing();
      this.#replaceCatalogue(connection);
    });
  }

  #publishFinished(): void {
    const connection = existsSync(this.#path) ? this.#openLeftOver() : undefined;
    if (connection === undefined) return;
    const finished = readMeta(connection, 'load_key') === undefined && readMeta(connection, 'stamp') !== undefined;
    const current = readMeta(connection, 'replaces') === this.#currentStamp();
    if (finished && current) this.#writing(() => this.#replaceCatalogue(connection));
    else connection.close();
  }

  #replaceCatalogue(connection: Connection): void {
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.pragma('journal_mode = DELETE');
    const pages = connection.pragma('page_count', { simple: true }) as number;
    const free = connection.pragma('freelist_count', { simple: true }) as number;
    if (free > pages * MAX_FREE_SHARE) connection.exec('VACUUM');
    connection.close();
    if (existsSync(this.#catalogue)) chmodSync(this.#path, statSync(this.#catalogue).mode);
    syncToDisk(this.#path);
    renameSync(this.#path, this.#catalogue);
    syncToDisk(dirname(this.#catalogue));
  }

  /** What a kill left behind, if it is a catalogue of our format that can be read. */
  #openLeftOver(): Connection | undefined {
    const connection = openForWriting(this.#path);
    try {
      const ours =
        connection.pragma('application_id', { simple: true }) === APPLICATION_ID &&
        connection.pragma('user_version', { simple: true }) === FORMAT_VERSION;
      if (ours && readMeta(connection, 'replaces') !== undefined) return connection;
    } catch (error) {
      if (!isSqliteError(error)) throw error;
    }
    connection.close();
    return undefined;
  }

  #currentStamp(): string {
    if (!existsSync(this.#catalogue)) return NOTHING;
    const connection = openForReading(this.#catalogue);
    try {
      return readMeta(connection, 'stamp') ?? NOTHING;
    } finally {
      connection.close();
    }
  }

  #writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw notWritable(this.#catalogue, error);
    }
  }
}

/** One load at a time: an SQLite lock, so the operating system lets go of it when a process dies. */
class LoadLock {
  readonly #path: string;
  readonly #connection: Connection;

  constructor(path: string) {
    this.#path = path;
    let connection: Connection | undefined;
    try {
      // Whoever held the lock may delete the file after we opened it, and another may make a new one: a lock on a file
      // that is no longer the one of that name locks out nobody.
      for (;;) {
        closeSync(openSync(path, 'a'));
        const before = inodeOf(path);
        connection = lockFile(path);
        if (before !== undefined && before === inodeOf(path)) break;
        connection.close();
      }
      this.#connection = connection;
    } catch (error) {
      connection?.close();
      const catalogue = path.replace(/\.loading-lock$/, '');
      if (isBusy(error)) {
        throw new SkillSearchError('LOAD_IN_PROGRESS', `another load into ${catalogue} is running`, {
          path: catalogue,
        });
      }
      throw notWritable(catalogue, error);
    }
  }

  release(): void {
    if (!this.#connection.open) return;
    // Deleted first: whoever opens it from here on makes a file, and a lock, of his own.
    rmSync(this.#path, { force: true });
    this.#connection.close();
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function lockFile(path: string): Connection {
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

/** Copies the vectors of another database that a catalogue does not have yet; a database that cannot be read has none. */
function takeVectors(into: Connection, from: string): void {
  try {
    into.prepare('ATTACH ? AS left_over').run(from);
    into.exec(`
      BEGIN;
      INSERT OR IGNORE INTO model (id, dimensions) SELECT id, dimensions FROM left_over.model;
      INSERT OR IGNORE INTO vector (model, text_hash, embedding)
        SELECT main.model.number, text_hash, embedding FROM left_over.vector
          JOIN left_over.model ON left_over.model.number = left_over.vector.model
          JOIN main.model ON main.model.id = left_over.model.id AND main.model.dimensions = left_over.model.dimensions;
      COMMIT;
      DETACH left_over`);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (into.inTransaction) into.exec('ROLLBACK');
  }
}

/** Write-ahead log: a kill loses the batch that was not committed, nothing else. */
function prepareForLoad(connection: Connection): Connection {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  connection.pragma('cache_size = -65536');
  // Pages; a checkpoint waits for the disk, so few of them.
  connection.pragma('wal_autocheckpoint = 16384');
  connection.exec(KNOWN_ROWS + TEXT_SIGNATURES);
  return connection;
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems cannot sync a folder; the rename then is as safe as they make it.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL' && (error as NodeJS.ErrnoException).code !== 'EPERM')
      throw error;
  } finally {
    closeSync(file);
  }
}

function notWritable(path: string, error: unknown): unknown {
  const ofSystem = error instanceof Error && (isSqliteError(error) || 'errno' in error);
  if (!ofSystem && !(error instanceof TypeError && /directory does not exist/.test(error.message))) return error;
  const message = `cannot write ${path}: ${(error as Error).message}`;
  return new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path, cause: error });
}
