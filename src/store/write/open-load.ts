import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { asBeyondRepair } from '../damaged.js';
import { openForReading, storeError } from '../database.js';
import { isMetaWhole } from '../facts.js';
import { filesBeside } from '../file-names.js';
import { readMeta } from '../meta.js';
import type { NamedState } from '../shared-note.js';
import { SignatureWriter } from '../signature-table.js';
import { type Connection, isSqliteError } from '../sqlite/connection.js';
import { ReportNotes, type Unreported } from './report-notes.js';
import { WorkingCopy } from './working-copy.js';
import { WriterStatements } from './writer-statements.js';

/** Writes in one transaction: what a kill can lose. With more, the pages of the index of ids are written less often. */
const BATCH = 4000;

/** Bytes of blobs that count as another write: a transaction takes some tens of megabytes of the log. */
const BYTES_OF_A_WRITE = 16 * 1024;

/** Names a load by its sources and options. After a kill, only a load with the same key can resume it. */
export function loadKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * The open files of a load, and its transactions.
 *
 * There is no working copy until something has to be written: a load that finds everything stored only reads.
 */
export class OpenLoad {
  /** The catalogue's file. */
  readonly path: string;
  /** Statements on the catalogue as it was before the load, read-only; undefined if there was none. */
  readonly base: WriterStatements | undefined;
  /** Whether the working copy is one that a killed run of the same load left. */
  readonly resumed: boolean;
  /** What an earlier run of the same load changed before it was killed at its very end; see {@link ReportNotes}. */
  readonly unreported: Unreported | undefined;
  readonly #key: string;
  readonly #copy: WorkingCopy;
  readonly #notes: ReportNotes;
  #working: Connection | undefined;
  #statements: WriterStatements;
  #signatures: SignatureWriter | undefined;
  /** Whether what is noted for a report is that of this load. */
  #hasNotes = false;
  /** Writes in the open transaction. */
  #pending = 0;

  /**
   * @param path the catalogue
   * @param key names the load; see {@link loadKey}
   * @param exists whether there should be a catalogue already
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  constructor(path: string, key: string, exists: boolean) {
    this.path = path;
    this.#key = key;
    this.#notes = new ReportNotes(filesBeside(path).loadingReport);
    // Before anything is written: a file that is no catalogue must be left alone.
    if (exists) openCatalogue(path).close();
    this.#copy = WorkingCopy.claim(path);
    try {
      // Taking the lock may have published a load that was killed at its end.
      this.base = exists || existsSync(path) ? openBase(path) : undefined;
      const stamp = this.base === undefined ? undefined : readMeta(this.base.connection, 'stamp');
      this.unreported = stamp === undefined ? undefined : this.#notes.read(stamp, key);
      this.#hasNotes = this.unreported !== undefined;
      const leftOver = this.#copy.resume(key);
      this.resumed = leftOver !== undefined;
      if (leftOver !== undefined) this.#statements = this.#useWorkingCopy(leftOver);
      else if (this.base !== undefined && isMetaWhole(this.base.connection)) this.#statements = this.base;
      // A working copy gets new notes.
      else this.#statements = this.startWorkingCopy();
    } catch (error) {
      this.close();
      throw storeError(error, path, 'write');
    }
  }

  /** Statements on the working copy, or on the catalogue as long as there is none. */
  get statements(): WriterStatements {
    return this.#statements;
  }

  get hasWorkingCopy(): boolean {
    return this.#working !== undefined;
  }

  /** Signatures of the working copy; undefined as long as there is none. */
  get signatures(): SignatureWriter | undefined {
    return this.#signatures;
  }

  startWorkingCopy(): WriterStatements {
    this.#statements = this.#useWorkingCopy(this.#copy.create(this.#key));
    return this.#statements;
  }

  /**
   * Statements for one write to the working copy, inside a transaction that ends after {@link BATCH} writes.
   *
   * @param bytes that are written, if they may be many
   */
  write(bytes = 0): WriterStatements {
    if (this.#pending >= BATCH) this.flush();
    const statements = this.#working === undefined ? this.startWorkingCopy() : this.#statements;
    if (!statements.connection.inTransaction) statements.connection.exec('BEGIN');
    this.#pending += 1 + Math.floor(bytes / BYTES_OF_A_WRITE);
    return statements;
  }

  /** Commits what is pending: a kill from here on loses none of it. */
  flush(): void {
    if (this.#working?.inTransaction === true) this.#working.exec('COMMIT');
    this.#pending = 0;
  }

  /**
   * Begins the last transaction, in which all is written that a kill must not leave half done. The catalogue is
   * attached as `base`.
   *
   * @returns the working copy
   */
  beginEnd(): Connection {
    if (this.#working === undefined) this.startWorkingCopy();
    this.flush();
    const working = this.#statements.connection;
    // No database can be attached inside a transaction.
    if (this.base !== undefined) working.prepare('ATTACH ? AS base').run(this.path);
    working.exec('BEGIN');
    return working;
  }

  /**
   * Commits the last transaction and puts the working copy in the catalogue's place.
   *
   * @param changes what is to be reported, for the next run if this one is killed before {@link reported}
   * @param noteState called with the new stamp, inside the transaction
   * @param state the state that this makes, if it has a name already
   */
  publish(
    changes: 'all-new' | Iterable<readonly [id: string, was: Buffer | null]>,
    noteState?: (stamp: string) => void,
    state?: NamedState,
  ): void {
    this.#hasNotes = true;
    this.#copy.publish(
      this.#statements.connection,
      (stamp) => {
        noteState?.(stamp);
        // Nobody reports what somebody else has made.
        if (state === undefined) this.#notes.append(stamp, this.#key, changes);
      },
      () => this.base?.close(),
      state,
    );
  }

  /**
   * Notes that the caller has the report of the load. What is noted of another load stays, unless this one published.
   */
  reported(): void {
    if (this.#hasNotes) this.#notes.forget();
  }

  /** Gives up the last transaction and deletes the working copy: there is nothing to publish. */
  discard(): void {
    const working = this.#statements.connection;
    working.exec('ROLLBACK');
    working.close();
    this.#copy.discard();
  }

  /** Closes the files after the load has ended. The right to load is held until {@link close}. */
  closeFiles(): void {
    this.#closeConnections();
    this.#copy.forgetStaleLeftOver();
  }

  /** Closes the files and gives up the right to load. A working copy stays: the next load may resume it. */
  close(): void {
    this.#closeConnections();
    this.#copy.release();
  }

  /** Runs work on the files. If it fails, the open transaction is rolled back and the error becomes one of ours. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // A committed half of a skill would look complete to a later load.
      if (this.#working?.open === true && this.#working.inTransaction) this.#working.exec('ROLLBACK');
      throw storeError(error, this.path, 'write');
    }
  }

  #useWorkingCopy(working: Connection): WriterStatements {
    this.#working = working;
    this.#signatures = new SignatureWriter(working);
    return new WriterStatements(working);
  }

  #closeConnections(): void {
    if (this.#working?.open === true) {
      if (this.#working.inTransaction) commitIfPossible(this.#working);
      this.#working.close();
    }
    this.base?.close();
  }
}

/** Keeps for a later load what is pending. On a full disk it is given up: the load has failed anyway. */
function commitIfPossible(connection: Connection): void {
  try {
    connection.exec('COMMIT');
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** Statements on a finished catalogue. */
export function openBase(path: string): WriterStatements {
  const connection = openCatalogue(path);
  // Ids are looked up all over their index. The default cache, meant for searching, cannot hold it.
  connection.pragma('cache_size = -65536');
  return new WriterStatements(connection);
}

/** Opens a finished catalogue. Damage is told as a load tells it. */
export function openCatalogue(path: string): Connection {
  try {
    return openForReading(path);
  } catch (error) {
    throw asBeyondRepair(error);
  }
}
