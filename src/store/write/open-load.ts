import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SkillNumber, SkillSearchError } from '../../core/index.js';
import { hasPresentSignatures, noteSignatureRules } from '../copies/text-signature.js';
import { asBeyondRepair, notWritable, openForReading, openForWriting, storeError } from '../database.js';
import {
  type CatalogueFacts,
  changedFacts,
  isMetaWhole,
  type NamedState,
  readFacts,
  readMeta,
  writeFacts,
  writeMeta,
  writeStamp,
} from '../notes.js';
import { forgetFormerStates, Superseding } from '../revisions.js';
import { type Connection, isBusy, isSqliteError } from '../sqlite.js';
import { StagingFile } from './staging-file.js';
import { type NetChanges, NO_CHANGES, WriterStatements } from './writer-statements.js';

/** Writes in one transaction, of about three a skill. With more, the pages of the index of ids are written less often. */
const BATCH = 12_000;

/** Bytes of blobs that count as another write: a transaction takes some tens of megabytes of the log. */
const BYTES_OF_A_WRITE = 16 * 1024;

/** Milliseconds that a commit in place waits for readers. Each reads for some milliseconds. */
const LONGEST_WAIT = 10_000;

/** Milliseconds that the right to change a catalogue is waited for: other small changes take less than a second. */
const LONGEST_TURN = 5_000;
const TURN_STEP = 25;

/**
 * The open files of a load, and its transactions.
 *
 * There is no staging file until something has to be written: a load that finds everything stored only reads. Nothing
 * of a killed load is published. The next load starts over, and takes the vectors that the killed one has made.
 *
 * A small change is written into the catalogue's file itself, in one transaction. SQLite keeps what it overwrites in a
 * rollback journal until the commit: a kill leaves the revision before. Other connections read that until then. They
 * hold no lock between two statements, so the commit waits for none long.
 */
export class OpenLoad {
  /** The catalogue's file. */
  readonly path: string;
  /** Statements on the catalogue as it was before the load, read-only; undefined if there was none. */
  readonly base: WriterStatements | undefined;
  readonly #staging: StagingFile;
  /** What was noted of the catalogue that is changed in place; undefined for a load that makes a staging file. */
  readonly #facts: CatalogueFacts | undefined;
  #superseding: Superseding | undefined;
  #working: Connection | undefined;
  /** Statements that see what the load has written. */
  statements: WriterStatements;
  #hasWritten = false;
  /** Writes in the open transaction. */
  #pending = 0;

  /**
   * @param path the catalogue
   * @param exists whether there should be a catalogue already
   * @param isSmall whether it is changed in place, if that can be
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  constructor(path: string, exists: boolean, isSmall = false) {
    this.path = path;
    // Before anything is written: a file that is no catalogue must be left alone.
    if (exists) openCatalogue(path).close();
    this.#staging = new StagingFile(path);
    try {
      this.base = exists || existsSync(path) ? openBase(path) : undefined;
      const connection = this.base?.connection;
      const isWhole = connection !== undefined && isMetaWhole(connection);
      if (isWhole && isSmall && hasPresentSignatures(connection)) this.#facts = readFacts(connection);
      // A staging file gets new notes.
      this.statements = this.base !== undefined && (isWhole || isSmall) ? this.base : this.startWorkingCopy();
    } catch (error) {
      this.close();
      throw storeError(error, path, 'write');
    }
  }

  /**
   * Opens a catalogue for a small change. Waits a little while another one is written.
   *
   * @returns undefined if the catalogue cannot be changed in place, but needs a whole load: its notes are damaged, or
   *   its signatures were made by other rules
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  static async inPlace(path: string, signal: AbortSignal | undefined): Promise<OpenLoad | undefined> {
    for (const began = performance.now(); ; ) {
      try {
        const load = new OpenLoad(path, true, true);
        if (load.isInPlace) return load;
        load.close();
        return undefined;
      } catch (error) {
        const isTaken = error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
        if (!isTaken || performance.now() - began > LONGEST_TURN) throw error;
      }
      await sleep(TURN_STEP, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      signal?.throwIfAborted();
    }
  }

  /** Whether it is written into the catalogue's file. */
  get isInPlace(): boolean {
    return this.#facts !== undefined;
  }

  /** Whether the load has begun to write. */
  get hasWorkingCopy(): boolean {
    return this.#working !== undefined;
  }

  /** Skills with a number above are looked at for what is missing: all, or in place those since the last whole load. */
  get loaded(): SkillNumber {
    return this.#facts?.loaded ?? 0;
  }

  /** How many of the others have no vector, as where a load made none of what it added. */
  get unembedded(): number {
    return this.#facts?.unembedded ?? 0;
  }

  startWorkingCopy(): WriterStatements {
    const working = this.isInPlace ? this.#beginInPlace() : this.#staging.create();
    this.#working = working;
    if (this.isInPlace) this.#superseding = new Superseding(working);
    else if (this.base === undefined) noteSignatureRules(working);
    this.statements = new WriterStatements(working, this.#superseding);
    return this.statements;
  }

  /**
   * Statements for one write, inside a transaction, which in a staging file ends after {@link BATCH} writes.
   *
   * @param bytes that are written, if they may be many
   */
  write(bytes = 0): WriterStatements {
    this.#hasWritten = true;
    if (this.#pending >= BATCH) this.flush();
    const statements = this.#working === undefined ? this.startWorkingCopy() : this.statements;
    if (!statements.connection.inTransaction) statements.connection.exec('BEGIN');
    this.#pending += 1 + Math.floor(bytes / BYTES_OF_A_WRITE);
    return statements;
  }

  /** Commits what is pending in a staging file: a kill from here on loses no vectors. */
  flush(): void {
    if (this.isInPlace) return;
    if (this.#working?.inTransaction === true) this.#working.exec('COMMIT');
    this.#pending = 0;
  }

  /**
   * Begins the last transaction of a staging file. The catalogue is attached as `base`.
   *
   * @returns the staging file
   */
  beginEnd(): Connection {
    if (this.#working === undefined) this.startWorkingCopy();
    this.flush();
    const working = this.statements.connection;
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
    this.#staging.publish(this.statements.connection, () => this.base?.connection.close(), state);
  }

  /**
   * Commits what was written in place, with a new stamp.
   *
   * @param hasChanged whether something has changed that was not written with {@link write}
   * @param state the state that this makes, if it has a name already: then it is made even if nothing has changed
   */
  commit(hasChanged: boolean, state?: NamedState): void {
    if (!(this.#hasWritten || hasChanged || state !== undefined)) return;
    const { connection } = this.statements;
    const { before } = this.#superseding!;
    const highest = (sql: string, last: number): number =>
      Math.max(last, connection.prepare<[], number | null>(sql).pluck().get() ?? 0);
    const lastSkill = highest('SELECT max(number) FROM skill', before.lastSkill);
    const lastVector = highest('SELECT max(number) FROM vector', before.lastVector);
    const facts = changedFacts(connection, this.#facts!, before);
    const stamp = writeStamp(connection, state);
    this.#superseding!.end(stamp, lastSkill, lastVector);
    writeFacts(connection, facts);
    connection.exec('COMMIT');
  }

  /** Gives up the last transaction and deletes the staging file: there is nothing to publish. */
  discard(): void {
    const working = this.statements.connection;
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
      if (this.#working.inTransaction && !this.isInPlace) commitIfPossible(this.#working);
      // Closing rolls back what was not committed in place.
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
      throw isBusy(error) ? busyError(this.path, error) : storeError(error, this.path, 'write');
    }
  }

  #beginInPlace(): Connection {
    try {
      const connection = openForWriting(this.path, LONGEST_WAIT);
      this.#working = connection;
      // Without this, a large change would lock readers out before it ends, and this process' own among them.
      connection.pragma('cache_spill = OFF');
      connection.pragma('synchronous = FULL');
      connection.exec('BEGIN IMMEDIATE');
      return connection;
    } catch (error) {
      throw isBusy(error) ? busyError(this.path, error) : notWritable(this.path, error);
    }
  }
}

function busyError(path: string, cause: unknown): SkillSearchError {
  const message = `cannot write ${path}: another program has been reading or writing it for too long`;
  return new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path, cause });
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
function openBase(path: string): WriterStatements {
  const connection = openCatalogue(path);
  // Ids are looked up all over their index. The default cache, meant for searching, cannot hold it.
  connection.pragma('cache_size = -65536');
  return new WriterStatements(connection);
}

/** Opens a finished catalogue. Damage is reported as a load reports it. */
function openCatalogue(path: string): Connection {
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

/**
 * Writes what is left for the end of a load, and publishes or commits the load if it changed anything.
 *
 * Closes the files. No other load can start until `load.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the staging file is kept then, and nothing is changed in place
 */
export function endLoad(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  return load.guard(() => {
    const brought = end.brought?.size ?? 0;
    const isSigned = hasPresentSignatures(load.statements.connection);
    const isNeeded = load.hasWorkingCopy || end.hasWork() || end.state !== undefined || !isSigned;
    let changes = NO_CHANGES;
    if (isNeeded) changes = load.isInPlace ? commitIfChanged(load, end) : publishIfChanged(load, end);
    // A load that came to its end has found all that a killed one was about.
    else if (brought > 0 && !load.isInPlace) load.forgetLeftOver();
    load.closeFiles();
    return { ...changes, unchanged: brought - changes.added - changes.updated };
  });
}

function commitIfChanged(load: OpenLoad, end: EndOfLoad): NetChanges {
  const statements = load.hasWorkingCopy ? load.statements : load.startWorkingCopy();
  const hasChanged = end.write(statements);
  const changes = statements.countChanges();
  load.commit(hasChanged || changes.removed > 0, end.state);
  return changes;
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
  const count = working.prepare<[], number>('SELECT count(*) FROM main.skill').pluck();
  // The first load notes nothing: every skill is new.
  const changes = base === undefined ? { ...NO_CHANGES, added: count.get()! } : statements.countChanges();
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
