import { setTimeout as sleep } from 'node:timers/promises';
import { type SkillNumber, SkillSearchError } from '../../core/index.js';
import { hasPresentSignatures } from '../copies/text-signature.js';
import { notWritable, openForWriting, storeError } from '../database.js';
import {
  type CatalogueFacts,
  changedFacts,
  isMetaWhole,
  type NamedState,
  newStamp,
  putNote,
  readFacts,
  writeFacts,
  writeMeta,
} from '../notes.js';
import { Superseding } from '../revisions.js';
import { type Connection, isBusy } from '../sqlite.js';
import { type ChangeCounts, type EndOfLoad, openBase, openCatalogue } from './open-load.js';
import { StagingFile } from './staging-file.js';
import { WriterStatements } from './writer-statements.js';

/** Milliseconds that a commit waits for readers. Each reads for some milliseconds. */
const LONGEST_WAIT = 10_000;

/** Milliseconds that the right to change a catalogue is waited for: other small changes take less than a second. */
const LONGEST_TURN = 5_000;
const TURN_STEP = 25;

/**
 * The open files of a small change, which is written into the catalogue's file, in one transaction. It has the shape of
 * an `OpenLoad`: what an `OpenLoad` writes to its working copy, this writes to the catalogue.
 *
 * SQLite keeps what the change overwrites in a rollback journal until the commit: a kill leaves the state before. Other
 * connections read that state until then. They hold no lock between two statements, so the commit waits for none long.
 */
export class OpenChange {
  /** The catalogue's file. */
  readonly path: string;
  /** Statements on the catalogue as it was before the change, read-only. Not to be used after {@link commit}. */
  readonly base: WriterStatements;
  readonly #copy: StagingFile;
  #writable: Connection | undefined;
  #superseding: Superseding | undefined;
  /** Of the catalogue before the change. */
  readonly #facts: CatalogueFacts;
  #statements: WriterStatements;
  #hasWritten = false;

  /**
   * @returns undefined if the catalogue cannot be changed in place, but needs a whole load: its notes are damaged, or
   *   its signatures were made by other rules
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
   */
  static open(path: string): OpenChange | undefined {
    // Before anything is written: a file that is no catalogue must be left alone.
    openCatalogue(path).close();
    const copy = StagingFile.claim(path);
    try {
      const base = openBase(path);
      if (isMetaWhole(base.connection) && hasPresentSignatures(base.connection))
        return new OpenChange(path, copy, base);
      base.connection.close();
    } catch (error) {
      copy.release();
      throw storeError(error, path, 'write');
    }
    copy.release();
    return undefined;
  }

  /** Like {@link open}, but waits a little while another change is written. */
  static async inTurn(path: string, signal: AbortSignal | undefined): Promise<OpenChange | undefined> {
    for (const began = performance.now(); ; ) {
      try {
        return OpenChange.open(path);
      } catch (error) {
        const isTaken = error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
        if (!isTaken || performance.now() - began > LONGEST_TURN) throw error;
      }
      await sleep(TURN_STEP, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      signal?.throwIfAborted();
    }
  }

  private constructor(path: string, copy: StagingFile, base: WriterStatements) {
    this.path = path;
    this.#copy = copy;
    this.base = base;
    this.#facts = readFacts(base.connection)!;
    this.#statements = base;
  }

  /** Statements on the catalogue, which see what the change has written. */
  get statements(): WriterStatements {
    return this.#statements;
  }

  get hasWorkingCopy(): boolean {
    return this.#writable !== undefined;
  }

  /** Highest number of a skill of the last whole load: only those above are looked at for what is missing. */
  get loaded(): SkillNumber {
    return this.#facts.loaded;
  }

  /** How many of the others have no vector, as where a load made none of what it added. */
  get unembedded(): number {
    return this.#facts.unembedded;
  }

  /** Begins the transaction. */
  startWorkingCopy(): WriterStatements {
    const connection = this.#opened();
    this.#superseding = new Superseding(connection);
    this.#statements = new WriterStatements(connection, this.#superseding);
    return this.#statements;
  }

  /** Statements for one write. */
  write(_bytes?: number): WriterStatements {
    this.#hasWritten = true;
    return this.#writable === undefined ? this.startWorkingCopy() : this.#statements;
  }

  /** Does nothing: all is one transaction. */
  flush(): void {}

  /**
   * Commits what was written, with a new stamp.
   *
   * @param hasChanged whether something has changed that was not written with {@link write}
   * @param state the state that this makes, if it has a name already: then it is made even if nothing has changed
   * @returns whether there was something to commit
   */
  commit(hasChanged: boolean, state?: NamedState): boolean {
    const connection = this.#writable;
    if (connection === undefined || !(this.#hasWritten || hasChanged || state !== undefined)) return false;
    const stamp = state?.stamp ?? newStamp();
    const before = this.#superseding!.before;
    const highest = (sql: string, last: number): number =>
      Math.max(last, connection.prepare<[], number | null>(sql).pluck().get() ?? 0);
    const lastSkill = highest('SELECT max(number) FROM skill', before.lastSkill);
    const lastVector = highest('SELECT max(number) FROM vector', before.lastVector);
    const facts = changedFacts(connection, this.#facts, before);
    this.#superseding!.end(stamp, lastSkill, lastVector);
    writeMeta(connection, 'stamp', stamp);
    if (state !== undefined) putNote(connection, stamp, state.note);
    writeFacts(connection, facts);
    connection.exec('COMMIT');
    return true;
  }

  /** Closes the files. The right to load is held until {@link close}. */
  closeFiles(): void {
    if (this.#writable?.open === true) {
      if (this.#writable.inTransaction) this.#writable.exec('ROLLBACK');
      this.#writable.close();
    }
    this.base.connection.close();
  }

  /** Closes the files, and gives up the right to load. What was not committed is lost. */
  close(): void {
    this.closeFiles();
    this.#copy.release();
  }

  /** Runs work on the files. If it fails, nothing of the change is kept, and the error becomes one of ours. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#writable?.open === true && this.#writable.inTransaction) this.#writable.exec('ROLLBACK');
      throw isBusy(error) ? busyError(this.path, error) : storeError(error, this.path, 'write');
    }
  }

  #opened(): Connection {
    const connection = openForWriting(this.path, LONGEST_WAIT);
    this.#writable = connection;
    try {
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

/**
 * Writes what is left for the end of a small change, and commits it if it changed anything. Closes the files. No load
 * and no other change can start until `change.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; nothing is changed then
 */
export function endChange(change: OpenChange, end: EndOfLoad): ChangeCounts {
  return change.guard(() => {
    const { brought } = end;
    let counts = { added: 0, updated: 0, removed: 0 };
    if (change.hasWorkingCopy || end.hasWork() || end.state !== undefined) {
      const statements = change.hasWorkingCopy ? change.statements : change.startWorkingCopy();
      const hasChanged = end.write(statements);
      counts = statements.countChanges();
      change.commit(hasChanged || counts.removed > 0, end.state);
    }
    change.closeFiles();
    return { ...counts, unchanged: (brought?.size ?? 0) - counts.added - counts.updated };
  });
}
