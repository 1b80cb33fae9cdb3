import { setTimeout as sleep } from 'node:timers/promises';
import { type SkillNumber, SkillSearchError, type VectorNumber } from '../../core/index.js';
import { hasPresentSignatures, SignatureWriter } from '../copies/text-signature.js';
import { notWritable, openForWriting, storeError } from '../database.js';
import {
  addToSum,
  type CatalogueFacts,
  isMetaWhole,
  linkSum,
  type NamedState,
  newStamp,
  putNote,
  readFacts,
  sumOfId,
  writeFacts,
  writeMeta,
} from '../notes.js';
import type { CatalogueState } from '../revisions.js';
import { Superseding } from '../revisions.js';
import { DERIVED_LABELS, SUPERSEDED } from '../schema.js';
import { type Connection, isBusy } from '../sqlite.js';
import { HASH_BYTES } from '../stored-skill.js';
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
  #signatures: SignatureWriter | undefined;
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
      base.close();
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

  /** Undefined as long as nothing is to be written. */
  get signatures(): SignatureWriter | undefined {
    return this.#signatures;
  }

  /** What the change leaves for readers of former states; undefined as long as nothing is to be written. */
  get superseding(): Superseding | undefined {
    return this.#superseding;
  }

  /** Highest number of a skill of the last whole load: only those above are looked at for what is missing. */
  get loaded(): SkillNumber {
    return this.#facts.loaded;
  }

  /** Begins the transaction. */
  startWorkingCopy(): WriterStatements {
    const connection = this.#opened();
    this.#superseding = new Superseding(connection);
    this.#signatures = new SignatureWriter(connection);
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
    const facts = changedSums(connection, this.base.connection, this.#facts, before);
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
    this.base.close();
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
      // A replaced skill is deleted before its claims have a new number.
      connection.pragma('defer_foreign_keys = ON');
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

interface ChangedSkill {
  readonly number: SkillNumber;
  readonly id: string;
  readonly files: number;
  readonly hasContents: number;
  readonly completeId: string | null;
  readonly isLabelled: number;
  readonly vector: VectorNumber | null;
}

/** The vector of a skill. */
const VECTOR =
  '(SELECT vector.number FROM vector WHERE model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash)';

/**
 * What a catalogue notes of itself after a small change, from what it noted before: only the rows of the change are
 * read.
 *
 * @param connection in the transaction of the change
 * @param base the catalogue as it was before the change
 * @param before the state before the change
 */
function changedSums(
  connection: Connection,
  base: Connection,
  sums: CatalogueFacts,
  before: CatalogueState,
): CatalogueFacts {
  const { lastSkill, lastVector, sequence } = before;
  const changed = { ...sums };
  const add = (name: 'ids' | 'links' | 'contents' | 'completeIds' | 'derivedLabels', checksum: number): void => {
    changed[name] = addToSum(changed[name], checksum);
  };
  const count = ({ number, id, files, hasContents, completeId, isLabelled }: ChangedSkill, sign: 1 | -1): void => {
    changed.skills += sign;
    changed.files += sign * files;
    add('ids', sign * sumOfId(id));
    if (hasContents === 1) add('contents', sign * sumOfId(number));
    if (completeId !== null) add('completeIds', sign * sumOfId(completeId));
    if (isLabelled === 1 && number <= sums.loaded) add('derivedLabels', sign * sumOfId(number));
  };

  const came = connection.prepare<[number], ChangedSkill>(
    changedSkills({ skill: 'skill', ...LIVE }, 'skill.number > ? ORDER BY skill.number'),
  );
  for (const skill of came.iterate(lastSkill)) {
    count(skill, 1);
    add('links', linkSum(skill.number, skill.vector));
  }
  const went = connection.prepare<[number], ChangedSkill>(changedSkills(SUPERSEDED, 'skill.gone = ?'));
  for (const skill of went.iterate(sequence + 1)) {
    count(skill, -1);
    const vector = skill.vector !== null && skill.vector > lastVector ? null : skill.vector;
    add('links', -linkSum(skill.number, vector));
  }
  const vectors = connection.prepare<[number], number>('SELECT count(*) FROM vector WHERE number > ?').pluck();
  changed.vectors += vectors.get(lastVector)!;
  changed.blobs = connection.prepare<[], number>('SELECT count(*) FROM blob').pluck().get()!;

  // A skill may get its labels in a later change than the one that wrote it: they need its vector.
  add('derivedLabels', sumOfLabelled(connection, sums.loaded) - sumOfLabelled(base, sums.loaded));

  // Skills that were there before, and whose text got a vector only now.
  const embedded = connection
    .prepare<[number, number], [SkillNumber, VectorNumber | null]>(
      `SELECT number, ${VECTOR} FROM skill WHERE number > ? AND number <= ?`,
    )
    .raw();
  const mayBeAny = sums.unembedded > 0 && changed.vectors > sums.vectors;
  for (const [skill, vector] of embedded.iterate(mayBeAny ? 0 : sums.loaded, lastSkill)) {
    if (vector === null || vector <= lastVector) continue;
    add('links', linkSum(skill, vector) - linkSum(skill, null));
    if (skill <= sums.loaded) changed.unembedded -= 1;
  }
  return changed;
}

/** What the checksum of derived labels covers of the skills that small changes wrote. */
function sumOfLabelled(connection: Connection, loaded: SkillNumber): number {
  const labelled = connection
    .prepare<[SkillNumber], SkillNumber>(`SELECT skill FROM ${DERIVED_LABELS} WHERE skill > ?`)
    .pluck();
  return labelled.all(loaded).reduce((sum, skill) => addToSum(sum, sumOfId(skill)), 0);
}

const LIVE = {
  file: 'file',
  contents: 'contents',
  content_file: 'content_file',
  derived_label: 'derived_label',
} as const;

function changedSkills(tables: Readonly<Record<keyof typeof LIVE | 'skill', string>>, where: string): string {
  return `
    SELECT skill.number, skill.id, (SELECT count(*) FROM ${tables.file} AS file WHERE file.skill = skill.number) AS files,
      length(skill.hash) > ${HASH_BYTES} OR contents.skill IS NOT NULL AS hasContents, contents.complete_id AS completeId,
      label.skill IS NOT NULL AS isLabelled, ${VECTOR} AS vector
    FROM ${tables.skill} AS skill LEFT JOIN ${tables.contents} AS contents ON contents.skill = skill.number
      LEFT JOIN ${tables.derived_label} AS label ON label.skill = skill.number
    WHERE ${where}`;
}
