import { existsSync } from 'node:fs';
import type { SkillNumber } from '../../core/index.js';
import { hasPresentSignatures, noteSignatureRules } from '../copies/text-signature.js';
import { asBeyondRepair, openForReading, storeError } from '../database.js';
import { isMetaWhole, type NamedState, readMeta, writeMeta } from '../notes.js';
import { forgetFormerStates } from '../revisions.js';
import { type Connection, isSqliteError } from '../sqlite.js';
import { StagingFile } from './staging-file.js';
import { type NetChanges, WriterStatements } from './writer-statements.js';

/** Writes in one transaction, of about three a skill. With more, the pages of the index of ids are written less often. */
const BATCH = 12_000;

/** Bytes of blobs that count as another write: a transaction takes some tens of megabytes of the log. */
const BYTES_OF_A_WRITE = 16 * 1024;

/**
 * The open files of a load, and its transactions.
 *
 * There is no staging file until something has to be written: a load that finds everything stored only reads. Nothing
 * of a killed load is published. The next load starts over, and takes the vectors that the killed one has made.
 */
export class OpenLoad {
  /** The catalogue's file. */
  readonly path: string;
  /** Statements on the catalogue as it was before the load, read-only; undefined if there was none. */
  readonly base: WriterStatements | undefined;
  /** Skills with a number above are looked at for what is missing: all. */
  readonly loaded = 0;
  readonly unembedded = 0;
  readonly #staging: StagingFile;
  #working: Connection | undefined;
  #statements: WriterStatements;
  /** Writes in the open transaction. */
  #pending = 0;

  /**
   * @param path the catalogue
   * @param exists whether there should be a catalogue already
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  constructor(path: string, exists: boolean) {
    this.path = path;
    // Before anything is written: a file that is no catalogue must be left alone.
    if (exists) openCatalogue(path).close();
    this.#staging = StagingFile.claim(path);
    try {
      this.base = exists || existsSync(path) ? openBase(path) : undefined;
      if (this.base !== undefined && isMetaWhole(this.base.connection)) this.#statements = this.base;
      // The staging file gets new notes.
      else this.#statements = this.startWorkingCopy();
    } catch (error) {
      this.close();
      throw storeError(error, path, 'write');
    }
  }

  /** Statements on the staging file, or on the catalogue as long as there is none. */
  get statements(): WriterStatements {
    return this.#statements;
  }

  get hasWorkingCopy(): boolean {
    return this.#working !== undefined;
  }

  startWorkingCopy(): WriterStatements {
    this.#working = this.#staging.create();
    if (this.base === undefined) noteSignatureRules(this.#working);
    this.#statements = new WriterStatements(this.#working);
    return this.#statements;
  }

  /**
   * Statements for one write to the staging file, inside a transaction that ends after {@link BATCH} writes.
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

  /** Commits what is pending: a kill from here on loses no vectors. */
  flush(): void {
    if (this.#working?.inTransaction === true) this.#working.exec('COMMIT');
    this.#pending = 0;
  }

  /**
   * Begins the last transaction. The catalogue is attached as `base`.
   *
   * @returns the staging file
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
   * Commits the last transaction and puts the staging file in the catalogue's place.
   *
   * @param state the state that this makes, if it has a name already
   */
  publish(state?: NamedState): void {
    this.#staging.publish(this.#statements.connection, () => this.base?.connection.close(), state);
  }

  /** Gives up the last transaction and deletes the staging file: there is nothing to publish. */
  discard(): void {
    const working = this.#statements.connection;
    working.exec('ROLLBACK');
    working.close();
    this.#staging.discard();
  }

  /** Deletes the staging file of a killed load. */
  forgetLeftOver(): void {
    this.#staging.discard();
  }

  /** Closes the files after the load has ended. The right to load is held until {@link close}. */
  closeFiles(): void {
    if (this.#working?.open === true) {
      if (this.#working.inTransaction) commitIfPossible(this.#working);
      this.#working.close();
    }
    this.base?.connection.close();
  }

  /** Closes the files and gives up the right to load. A staging file stays: the next load takes its vectors. */
  close(): void {
    this.closeFiles();
    this.#staging.release();
  }

  /** Runs work on the files. If it fails, the open transaction is rolled back and the error becomes one of ours. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#working?.open === true && this.#working.inTransaction) this.#working.exec('ROLLBACK');
      throw storeError(error, this.path, 'write');
    }
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

/** Opens a finished catalogue. Damage is reported as a load reports it. */
export function openCatalogue(path: string): Connection {
  try {
    return openForReading(path);
  } catch (error) {
    throw asBeyondRepair(error);
  }
}

/** What a load leaves for its end. */
export interface EndOfLoad {
  /** Whether there is something to write, beside what is in a staging file already. */
  hasWork(): boolean;
  /**
   * Writes it, inside the last transaction.
   *
   * @returns whether claims or derived labels changed
   */
  write(statements: WriterStatements): boolean;
  /** Whether the load wrote again what was damaged, so that it is published even if it changed nothing else. */
  readonly hasMended?: boolean;
  /** Id of the model of the load, if it has one; see {@link keepOneModel}. */
  readonly model?: string | undefined;
  /** Skills that the load brought. */
  readonly brought?: ReadonlySet<SkillNumber>;
  /** The state that the load makes, if it has a name already: then it is published even if it changes nothing. */
  readonly state?: NamedState | undefined;
}

/** How many skills a load changed. */
export interface ChangeCounts extends NetChanges {
  /** Skills that the load brought and that were stored as they are. */
  readonly unchanged: number;
}

const NO_CHANGES: NetChanges = { added: 0, updated: 0, removed: 0 };

/**
 * Writes what is left for the end of a load, and publishes the load if it changed anything.
 *
 * Closes the files. No other load can start until `load.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the staging file is kept then
 */
export function endLoad(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  return load.guard(() => {
    const isNeeded = load.hasWorkingCopy || end.hasWork() || !hasPresentSignatures(load.statements.connection);
    const changes = isNeeded ? publishIfChanged(load, end) : NO_CHANGES;
    // A load that came to its end has found all that a killed one was about.
    if (!isNeeded && end.brought !== undefined && end.brought.size > 0) load.forgetLeftOver();
    load.closeFiles();
    return { ...changes, unchanged: (end.brought?.size ?? 0) - changes.added - changes.updated };
  });
}

function publishIfChanged(load: OpenLoad, end: EndOfLoad): NetChanges {
  const working = load.beginEnd();
  const { statements, base } = load;
  const hasChanged = end.write(statements);
  const wasComplete = base !== undefined && isMetaWhole(base.connection) && hasPresentSignatures(base.connection);
  keepOneModel(statements, working, end.model);
  if (!hasPresentSignatures(working)) statements.signAll();
  forgetFormerStates(working);
  statements.deleteUnusedBlobs();
  const changes = base === undefined ? statements.countAllAsAdded() : statements.countChanges();
  const isFirst = readMeta(working, 'stamp') === undefined;
  const vectorsChanged =
    base !== undefined && statements.vectors.fingerprint('main') !== statements.vectors.fingerprint('base');
  const isChanged =
    isFirst ||
    !wasComplete ||
    end.hasMended === true ||
    hasChanged ||
    vectorsChanged ||
    changes.added + changes.updated + changes.removed > 0 ||
    end.state !== undefined;
  if (isChanged) load.publish(end.state);
  else load.discard();
  return changes;
}

/**
 * Keeps the vectors of one model, and deletes all others: of the given model if it has any, else of the model that the
 * catalogue had, else of whatever model a killed run used.
 */
function keepOneModel({ vectors }: WriterStatements, working: Connection, model: string | undefined): void {
  const made = vectors.models();
  const kept = [model, readMeta(working, 'model'), made[0]].find((id) => id !== undefined && made.includes(id));
  if (kept !== undefined) writeMeta(working, 'model', kept);
  vectors.keepOnly(kept);
  vectors.deleteUnused();
}
