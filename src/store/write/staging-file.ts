import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { orUndefined, SkillSearchError, syncToDisk } from '../../core/index.js';
import { type VectorRow, vectorChecksum } from '../checksums.js';
import {
  checkFormat,
  createSchema,
  isCorrupt,
  notWritable,
  openForReading,
  openForWriting,
  PAGE_BYTES,
  storeError,
  whileOpen,
} from '../database.js';
import { type CatalogueFiles, filesBeside, sqliteFiles } from '../files.js';
import { FileLock } from '../locks.js';
import { type NamedState, readMeta, writeFacts, writeStamp } from '../notes.js';
import { type Connection, isSqliteError, type Statement } from '../sqlite.js';
import { VectorInsertion } from './vectors.js';

/** The file that a load writes until it is published, and the right to load; see {@link CatalogueFiles}. */
export class StagingFile {
  readonly #catalogue: string;
  readonly #files: CatalogueFiles;
  readonly #lock: FileLock;

  /**
   * Takes the right to load into a catalogue.
   *
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
   */
  constructor(catalogue: string) {
    this.#catalogue = catalogue;
    this.#files = filesBeside(catalogue);
    this.#lock = FileLock.ofLoad(catalogue);
  }

  /** Gives up the right to load. A file of a load that was not published stays: the next load takes its vectors. */
  release(): void {
    this.#lock.release();
  }

  /**
   * Makes a copy of the catalogue, or an empty file if there is no catalogue yet. Takes the vectors of the file that a
   * killed load has left: nothing else of it can be right for other sources, and rows are read again in no time.
   *
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_DAMAGED`
   */
  create(): Connection {
    return this.#writing(() => {
      const { loading, loadingPart } = this.#files;
      removeDatabase(loadingPart);
      const exists = existsSync(this.#catalogue);
      if (exists) {
        copyFileSync(this.#catalogue, loadingPart, constants.COPYFILE_FICLONE);
        // Even if the catalogue is read-only: it is replaced, not changed.
        chmodSync(loadingPart, statSync(loadingPart).mode | 0o200);
      }
      const part = openForWriting(loadingPart);
      if (!exists) createSchema(part);
      if (isCatalogue(loading)) takeVectors(part, loading);
      part.close();
      removeDatabase(loading);
      renameSync(loadingPart, loading);
      return prepareForLoad(openForWriting(loading));
    });
  }

  /** Deletes the file. Its connection must be closed. */
  discard(): void {
    removeDatabase(this.#files.loading);
  }

  /**
   * Commits the open transaction with a new stamp, and puts the file in the catalogue's place.
   *
   * @param beforeReplacing called when everything is written, to close the former catalogue
   * @param state the state that this makes, if it has a name already
   */
  publish(connection: Connection, beforeReplacing: () => void, state?: NamedState): void {
    this.#writing(() => {
      writeStamp(connection, state);
      writeFacts(connection);
      connection.exec('COMMIT');
      const databases = connection.pragma('database_list') as { readonly name: string }[];
      if (databases.some(({ name }) => name === 'base')) connection.exec('DETACH base');
      beforeReplacing();
      replaceCatalogue(this.#catalogue, this.#files.loading, connection);
    });
  }

  #writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isCorrupt(error) ? storeError(error, this.#catalogue, 'write') : notWritable(this.#catalogue, error);
    }
  }
}

/** Whether a file that a killed load has left is a catalogue of this format. Plays its write-ahead log back. */
function isCatalogue(path: string): boolean {
  if (!existsSync(path)) return false;
  const connection = openForWriting(path);
  try {
    checkFormat(connection, path);
    return true;
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof SkillSearchError)) throw error;
    return false;
  } finally {
    connection.close();
  }
}

/** With a write-ahead log a kill loses only the vectors that were not committed. */
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

/** Share of free pages, left by deleted rows, above which a file is packed before it is published. */
const MAX_FREE_SHARE = 0.25;

/**
 * Makes a finished working copy one self-contained file, and puts it in the catalogue's place. Readers that have the
 * former catalogue open go on reading that.
 *
 * @param connection to the working copy; closed here
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; also errors of SQLite and the file system
 */
function replaceCatalogue(catalogue: string, workingCopy: string, connection: Connection): void {
  connection.pragma('wal_checkpoint(TRUNCATE)');
  // A write-ahead log needs less, but a power cut while the journal is written must not spoil the file either.
  connection.pragma('synchronous = FULL');
  const mode = connection.pragma('journal_mode = DELETE', { simple: true });
  const numberIn = (name: string): number => connection.pragma(name, { simple: true }) as number;
  if (numberIn('freelist_count') > numberIn('page_count') * MAX_FREE_SHARE) pack(connection);
  connection.close();
  // Whoever renamed the file without its journal would publish half of what was written.
  const left = [`${workingCopy}-journal`, `${workingCopy}-wal`].find((path) => existsSync(path));
  if (mode !== 'delete' || left !== undefined) {
    const message = `cannot write ${catalogue}: ${left ?? workingCopy} could not be finished`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: catalogue });
  }
  if (existsSync(catalogue)) chmodSync(workingCopy, statSync(catalogue).mode);
  putInPlace(catalogue, workingCopy);
}

/** Packing needs room for the file twice more. Without that room the file stays as large as it is, and as good. */
function pack(connection: Connection): void {
  try {
    connection.exec('VACUUM');
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}

/**
 * Puts a finished file into a catalogue's place, so that it is there after a power cut. Readers that have the former
 * one open go on reading that.
 *
 * @param file without a journal, on the same file system. It is moved away
 */
export function putInPlace(catalogue: string, file: string): void {
  syncToDisk(file);
  forgetJournal(catalogue);
  renameSync(file, catalogue);
  syncToDisk(dirname(catalogue));
}

/**
 * Deletes the journal of a change that was killed, before another file takes the catalogue's place: SQLite finds a
 * journal by its name, and would play it back into that file. The journal of a catalogue that is there is played back
 * first, so that it is whole if the replacement never comes.
 *
 * @param catalogue which no change is written to now
 */
export function forgetJournal(catalogue: string): void {
  const journal = `${catalogue}-journal`;
  if (!existsSync(journal)) return;
  // What is no catalogue, or cannot be read, is replaced as it is.
  if (existsSync(catalogue)) orUndefined(() => openForReading(catalogue).close());
  rmSync(journal, { force: true });
}

/**
 * Copies the vectors that a catalogue lacks from another database, but for damaged ones. Does nothing if that database
 * cannot be read.
 */
function takeVectors(into: Connection, from: string): void {
  try {
    into.prepare('ATTACH ? AS left_over').run(from);
    into.exec('BEGIN');
    into.exec('INSERT OR IGNORE INTO model (id, dimensions) SELECT id, dimensions FROM left_over.model');
    const insertion = new VectorInsertion(into);
    const numbers = into
      .prepare<[], number>(`
        SELECT theirs.number FROM left_over.vector AS theirs
          JOIN left_over.model ON left_over.model.number = theirs.model
          JOIN main.model ON main.model.id = left_over.model.id AND main.model.dimensions = left_over.model.dimensions
        WHERE NOT EXISTS (
          SELECT 1 FROM main.vector WHERE model = main.model.number AND text_hash = theirs.text_hash)
        ORDER BY theirs.number`)
      .pluck()
      .all();
    const read: Statement<[number], VectorRow & { readonly model: string; readonly textHash: Buffer }> = into.prepare(`
      SELECT id AS model, text_hash AS textHash, embedding, checksum
      FROM left_over.vector JOIN left_over.model ON left_over.model.number = model
      WHERE left_over.vector.number = ?`);
    for (const number of numbers) {
      const { model, textHash, embedding, checksum } = read.get(number)!;
      if (vectorChecksum(number, embedding) !== checksum) continue;
      insertion.run(model, textHash, embedding);
    }
    into.exec('COMMIT; DETACH left_over');
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (into.inTransaction) into.exec('ROLLBACK');
  }
}

/**
 * Lets the first load of a catalogue find the vectors of another one, as those that a killed load has left. Where there
 * is a catalogue, the other one has vectors of another model, or nothing can be linked, it makes its own.
 *
 * @param model its id
 */
export function lendVectors(catalogue: string, from: string, model: string): void {
  if (existsSync(catalogue) || !existsSync(from)) return;
  try {
    const present = whileOpen(from, (connection) => readMeta(connection, 'model'));
    if (present === model) linkSync(from, filesBeside(catalogue).loading);
  } catch {
    // It is no catalogue of this version, or on another disk.
  }
}
