import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type SkillNumber, syncToDisk } from '../../core/index.js';
import { checksumsOf, fileChecksum } from '../checksums.js';
import { ContentRows } from '../contents.js';
import { areAllSigned, SignatureWriter } from '../copies/stored-signatures.js';
import { asBeyondRepair, openForReading, storeError } from '../database.js';
import { filesBeside } from '../files.js';
import { hasNotedBlobs, isMetaWhole, type NamedState, readMeta, writeMeta } from '../notes.js';
import { filenamesOf, type StoredFileRow, type StoredRow, StoredRows } from '../read/stored-row.js';
import { carryStates, forgetFormerStates, readLineage } from '../revisions.js';
import { type Connection, isSqliteError, type Statement } from '../sqlite.js';
import { WorkingCopy } from './staging-file.js';
import { type NetChanges, WriterStatements } from './writer-statements.js';

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

/** What a load leaves for its end. */
export interface EndOfLoad {
  /** Whether there is something to write, beside what is in a working copy already. */
  hasWork(): boolean;
  /**
   * Writes it, inside the last transaction.
   *
   * @returns whether claims or derived labels changed
   */
  write(statements: WriterStatements): boolean;
  /** Whether skills are removed and nothing else is done: then the derived files of the state before stay in use. */
  readonly onlyRemoves?: boolean;
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
const NONE: ReadonlySet<SkillNumber> = new Set();

/**
 * Writes what is left for the end of a load, and publishes the load if it changed anything. A kill leaves nothing of
 * what is written here, because it goes into one transaction with the new stamp.
 *
 * Closes the files. No other load can start until `load.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
 */
export function endLoad(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  return load.guard(() => {
    const isNeeded = load.hasWorkingCopy || end.hasWork() || !areAllSigned(load.statements.connection);
    const changes = isNeeded ? publishIfChanged(load, end) : countFor(load.unreported, NO_CHANGES, load, end);
    load.closeFiles();
    return changes;
  });
}

function publishIfChanged(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  const working = load.beginEnd();
  const { statements, base } = load;
  const hasChanged = end.write(statements);
  const wasComplete = base !== undefined && isMetaWhole(base.connection) && areAllSigned(base.connection);
  const keepsDerived = end.onlyRemoves === true && wasComplete;
  keepOneModel(statements, working, end.model, keepsDerived);
  if (!areAllSigned(working)) load.signatures?.signAll();
  const hadFormerStates = base !== undefined && readLineage(base.connection).length > 0;
  let noteState: ((stamp: string) => void) | undefined;
  if (keepsDerived) noteState = carryStates(working);
  else forgetFormerStates(working);
  // What a killed run deleted nobody has noted, and damage deletes without a note, too.
  const isBaseDoubtful = base !== undefined && !hasNotedBlobs(base.connection);
  statements.contents.deleteUnused(load.resumed || end.hasMended === true || isBaseDoubtful || hadFormerStates);

  const changes = base === undefined ? statements.countAllAsAdded() : statements.countChanges();
  const isFirst = readMeta(working, 'stamp') === undefined;
  const vectorsChanged =
    base !== undefined && statements.vectors.fingerprint('main') !== statements.vectors.fingerprint('base');
  const skillsChanged = changes.added + changes.updated + changes.removed > 0;
  const isChanged =
    isFirst ||
    !wasComplete ||
    end.hasMended === true ||
    hasChanged ||
    vectorsChanged ||
    skillsChanged ||
    end.state !== undefined;
  const toReport = base === undefined ? 'all-new' : sinceReport(load.unreported, statements);
  const counts = countFor(load.unreported === undefined ? undefined : toReport, changes, load, end);
  if (isChanged) load.publish(toReport === undefined ? formerVersions(statements) : toReport, noteState, end.state);
  else load.discard();
  return counts;
}

/** The counts of a report: of this run, or since an earlier run that was killed before it could report. */
function countFor(unreported: Unreported | undefined, own: NetChanges, load: OpenLoad, end: EndOfLoad): ChangeCounts {
  const { brought = NONE } = end;
  if (unreported !== undefined) return countUnreported(unreported, load.statements, brought);
  return { ...own, unchanged: brought.size - own.added - own.updated };
}

/** What this run and an earlier one changed together; undefined if there was no earlier one. */
function sinceReport(earlier: Unreported | undefined, statements: WriterStatements): Unreported | undefined {
  if (earlier === undefined || earlier === 'all-new') return earlier;
  return new Map([...formerVersions(statements), ...earlier]);
}

function* formerVersions({ touched }: WriterStatements): Generator<readonly [id: string, was: Buffer | null]> {
  for (const { id, was } of touched.iterate()) yield [id, was];
}

/**
 * Keeps the vectors of one model, and deletes all others: of the given model if it has any, else of the model that the
 * catalogue had, else of whatever model a killed run used.
 *
 * @param keepsUnused whether vectors stay whose text no skill has any more: a derived file may have them
 */
function keepOneModel(
  { vectors }: WriterStatements,
  working: Connection,
  model: string | undefined,
  keepsUnused: boolean,
): void {
  const made = vectors.models();
  const kept = [model, readMeta(working, 'model'), made[0]].find((id) => id !== undefined && made.includes(id));
  if (kept !== undefined) writeMeta(working, 'model', kept);
  vectors.keepOnly(kept, keepsUnused);
}

/** What changed skills were before: their hash, null for one that was not there. By id. */
type FormerVersions = ReadonlyMap<string, Buffer | null>;

/** What a load changed of which nobody has been told: all skills are new, or these were something else before. */
export type Unreported = 'all-new' | FormerVersions;

/** A load and the state of the catalogue that it makes. */
interface Section {
  readonly stamp: string;
  readonly loadKey: string;
  readonly allNew: boolean;
}

/** Lines that are written at once. */
const LINES_AT_ONCE = 4096;
const END = 'end';

/**
 * Notes what a load changed, in a file beside the catalogue, from its last commit until its report was given. If the
 * process dies in between, the next load of the same sources finds everything unchanged. By the notes its report says
 * what happened to the catalogue all the same.
 *
 * The file has a section for each commit, of JSON lines: the head, a line for each changed skill, and the end. Only one
 * section can be of the catalogue's present state. A section without an end was cut off, so it was never committed.
 */
export class ReportNotes {
  readonly #path: string;

  /** @param path of the file */
  constructor(path: string) {
    this.#path = path;
  }

  /** @returns what a load with this key changed that made the state with this stamp; undefined if nothing is noted */
  read(stamp: string, loadKey: string): Unreported | undefined {
    if (!existsSync(this.#path)) return undefined;
    let found: { readonly allNew: boolean; readonly versions: Map<string, Buffer | null> } | undefined;
    for (const line of readFileSync(this.#path, 'utf8').split('\n')) {
      const value = parse(line);
      if (value === END && found !== undefined) return found.allNew ? 'all-new' : found.versions;
      if (Array.isArray(value)) {
        const [id, was] = value as [string, string | null];
        found?.versions.set(id, was === null ? null : Buffer.from(was, 'hex'));
      } else {
        const head = value as Partial<Section> | undefined;
        const isAsked = head?.stamp === stamp && head.loadKey === loadKey;
        found = isAsked ? { allNew: head.allNew === true, versions: new Map() } : undefined;
      }
    }
    return undefined;
  }

  /** Adds a section. It is on the disk when this returns. */
  append(
    stamp: string,
    loadKey: string,
    changes: 'all-new' | Iterable<readonly [id: string, was: Buffer | null]>,
  ): void {
    const head: Section = { stamp, loadKey, allNew: changes === 'all-new' };
    const file = openSync(this.#path, 'a');
    try {
      // A section that was cut off may end without a line end.
      let lines = ['', JSON.stringify(head)];
      for (const [id, was] of changes === 'all-new' ? [] : changes) {
        lines.push(JSON.stringify([id, was === null ? null : was.toString('hex')]));
        if (lines.length < LINES_AT_ONCE) continue;
        appendFileSync(file, `${lines.join('\n')}\n`);
        lines = [];
      }
      lines.push(JSON.stringify(END));
      appendFileSync(file, `${lines.join('\n')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // Else a power cut may leave the commit, but no file of this name.
    syncToDisk(dirname(this.#path));
  }

  /** Deletes the file: the report was given. */
  forget(): void {
    rmSync(this.#path, { force: true });
  }
}

/** How many skills changed since the state that the notes begin at, and how many of some skills did not. */
function countUnreported(
  unreported: Unreported,
  statements: WriterStatements,
  brought: ReadonlySet<number>,
): { readonly added: number; readonly updated: number; readonly removed: number; readonly unchanged: number } {
  if (unreported === 'all-new') return { ...statements.countAllAsAdded(), unchanged: 0 };
  let [added, updated, removed, unchanged] = [0, 0, 0, brought.size];
  for (const [id, was] of unreported) {
    const stored = statements.find.get(id);
    if (stored === undefined) removed += was === null ? 0 : 1;
    else if (was?.equals(stored.hash) !== true) {
      if (was === null) added += 1;
      else updated += 1;
      if (brought.has(stored.number)) unchanged -= 1;
    }
  }
  return { added, updated, removed, unchanged };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Undoes what a killed run of this load did to skills that the present run did not bring: the sources may have changed
 * since. Skills that the load did not change stay as they are.
 *
 * @param statements of the working copy; if there is a catalogue it is attached as `base`
 * @param brought skills that the present run brought
 */
export function revertKilledRun(
  statements: WriterStatements,
  hasBase: boolean,
  brought: ReadonlySet<SkillNumber>,
): void {
  if (!hasBase) {
    for (const skill of statements.skillNumbers.all()) if (!brought.has(skill)) statements.erase(skill);
    return;
  }
  const restore = restoreFromBase(statements);
  for (const { id, number, was } of statements.touched.all()) {
    if (number !== null && brought.has(number)) continue;
    if (number !== null) statements.erase(number);
    if (was !== null) restore(id);
    statements.untouch.run(id);
  }
}

/**
 * @returns a function that copies a skill with its files, contents and claims from the database `base`, under a new
 *   number. What is damaged there is copied, too, and stays marked.
 */
function restoreFromBase(statements: WriterStatements): (id: string) => void {
  const { connection } = statements;
  const base = new StoredRows(connection, 'base');
  const seal = new SkillSeal(connection);
  const columns =
    'id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash, hash, tags';
  const number = connection.prepare<[string], SkillNumber>('SELECT number FROM base.skill WHERE id = ?').pluck();
  const skill = connection.prepare<[SkillNumber], unknown>(`
    INSERT INTO main.skill (${columns})
    SELECT ${columns} FROM base.skill WHERE number = ?`);
  const files = connection.prepare<[to: SkillNumber, from: SkillNumber], unknown>(`
    INSERT INTO main.file (skill, position, filename, text)
    SELECT ?, position, filename, text FROM base.file WHERE skill = ?`);
  const claims = connection.prepare<[to: SkillNumber, from: SkillNumber], unknown>(`
    INSERT INTO main.claim (source, skill)
    SELECT main.source.number, ? FROM base.claim
      JOIN base.source ON base.source.number = base.claim.source
      JOIN main.source ON main.source.name = base.source.name
    WHERE base.claim.skill = ?`);
  const contents = new ContentRows(connection, 'base');
  /** The bytes are still there: those without a skill are deleted when a load ends. Damaged contents are lost. */
  const restoreContents = (from: SkillNumber, to: SkillNumber): void => {
    const stored = contents.contents(from);
    const storedFiles = contents.files(from);
    if (stored === undefined || !contents.isWhole(from, stored, storedFiles)) return;
    statements.contents.delete(to);
    statements.contents.write(to, stored.hash, stored.completeId, storedFiles);
  };
  return (id) => {
    const from = number.get(id);
    const row = from === undefined ? undefined : base.row(from);
    if (from === undefined || row === undefined) return;
    const to = Number(skill.run(from).lastInsertRowid);
    files.run(to, from);
    claims.run(to, from);
    restoreContents(from, to);
    const stored = base.files(from);
    if (base.faultOf(row, stored) === undefined) seal.write({ ...row, number: to }, stored);
  };
}

/** Writes the checksums of skills that are stored without. */
export class SkillSeal {
  readonly #skill: Statement<[record: number, shown: number, whole: number, skill: SkillNumber], unknown>;
  readonly #file: Statement<[checksum: number, skill: SkillNumber, position: number], unknown>;

  constructor(connection: Connection) {
    this.#skill = connection.prepare(
      'UPDATE main.skill SET record_checksum = ?, shown_checksum = ?, checksum = ? WHERE number = ?',
    );
    this.#file = connection.prepare('UPDATE main.file SET checksum = ? WHERE skill = ? AND position = ?');
  }

  /** @param row and files as they are stored, known to be right */
  write(row: StoredRow, files: readonly StoredFileRow[]): void {
    const { record, shown, whole } = checksumsOf(row, filenamesOf(files));
    this.#skill.run(record, shown, whole, row.number);
    for (const { position, filename, stored } of files) {
      this.#file.run(fileChecksum(row.number, position, files.length, filename, stored), row.number, position);
    }
  }
}
