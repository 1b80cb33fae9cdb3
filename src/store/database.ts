import { type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDamage, SkillSearchError } from '../core/index.js';
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA, STATEMENTS } from './schema.js';
import { type Connection, Database, databaseError, isSqliteError } from './sqlite.js';

/** A new, empty catalogue in memory. Nothing in it is packed: it is made for a short time. */
export function createInMemory(): Connection {
  const connection = new Database(':memory:');
  createSchema(connection);
  return connection;
}

/**
 * Opens a file for writing, or creates it. Does not look at what it contains.
 *
 * @param timeout milliseconds to wait for a lock
 */
export function openForWriting(path: string, timeout = 0): Connection {
  return new Database(path, { timeout });
}

/** Makes an empty database a catalogue. */
export function createSchema(connection: Connection): void {
  connection.pragma(`page_size = ${PAGE_BYTES}`);
  connection.pragma(`application_id = ${APPLICATION_ID}`);
  connection.pragma(`user_version = ${FORMAT_VERSION}`);
  // One transaction, because each waits for the disk.
  connection.exec(`BEGIN; ${SCHEMA.join(';\n')}; COMMIT`);
}

/**
 * Opens a finished catalogue for reading.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `DATABASE_DAMAGED`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`
 */
export function openForReading(path: string): Connection {
  const stat = fileAt(path);
  if (stat === undefined) {
    const message = `no catalogue at ${path}: make one with \`skill-discovery load\``;
    throw new SkillSearchError('DATABASE_NOT_FOUND', message, { path });
  }
  if (!stat.isFile()) {
    const isSnapshot = fileAt(join(path, MANIFEST)) !== undefined;
    throw new SkillSearchError('NOT_A_CATALOGUE', `${path} is not a file${isSnapshot ? SERVE_IT : ''}`, { path });
  }
  try {
    return guarded(path, 'read', () => openChecked(path));
  } catch (error) {
    throw withAdvice(error, path);
  }
}

/** Opens a finished catalogue as {@link openForReading} does, for one piece of work. */
export function whileOpen<T>(path: string, work: (connection: Connection) => T): T {
  const connection = openForReading(path);
  try {
    return guarded(path, 'read', () => work(connection));
  } finally {
    connection.close();
  }
}

/**
 * Does the first work with a connection, which is closed if that fails.
 *
 * @param path given where an error of SQLite must become one of ours
 */
export function orClose<T>(connection: Connection, work: (connection: Connection) => T, path?: string): T {
  try {
    return work(connection);
  } catch (error) {
    connection.close();
    throw path === undefined ? error : storeError(error, path, 'read');
  }
}

/** What the files of a snapshot are told by. */
const MANIFEST = 'manifest.json';
const SERVE_IT = `: it has the files of a snapshot. Serve them by a web server, and give the address of ${MANIFEST}`;

function withAdvice(error: unknown, path: string): unknown {
  if (basename(path) !== MANIFEST || !(error instanceof SkillSearchError) || error.code !== 'NOT_A_CATALOGUE') {
    return error;
  }
  const message = `${path} is no catalogue, but may describe a snapshot: serve its folder by a web server, and give the address of ${MANIFEST}`;
  return new SkillSearchError(error.code, message, { path, cause: error });
}

function openChecked(path: string): Connection {
  return orClose(new Database(path, { readonly: true, fileMustExist: true }), (connection) => {
    checkFormat(connection, path);
    return connection;
  });
}

/** Whether a change in place was killed while it was written, so that its journal must be played back first. */
function isHotJournal(error: unknown): boolean {
  return isSqliteError(error) && error.code === 'SQLITE_READONLY_ROLLBACK';
}

/** Plays back the journal of a change that was killed. Reading does that, if the connection may write. */
function rollBack(path: string): void {
  let connection: Connection | undefined;
  try {
    connection = new Database(path, { fileMustExist: true });
    connection.prepare('SELECT 1 FROM sqlite_schema').get();
  } catch (cause) {
    const message = `cannot read ${path}: a change of it was cut off, and this program may not write the file to undo it: open it once where that is allowed`;
    throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path, cause });
  } finally {
    connection?.close();
  }
}

/**
 * Makes sure that a database is a catalogue, before anything of its tables is read.
 *
 * @throws {SkillSearchError} `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT`
 */
export function checkFormat(connection: Connection, path: string): void {
  const applicationId = connection.pragma('application_id', { simple: true });
  if (applicationId !== APPLICATION_ID) {
    throw new SkillSearchError('NOT_A_CATALOGUE', `${path} is a database, but not a catalogue of skills`, { path });
  }
  const version = connection.pragma('user_version', { simple: true });
  if (version !== FORMAT_VERSION) {
    const message = `${path} has catalogue format ${version}, this version reads format ${FORMAT_VERSION}: load all sources into a new file, or remove this one first`;
    throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path });
  }
  checkSchema(connection, path);
}

/**
 * Compares the schema of a database with the one that this version writes: exactly its tables, columns, indexes and
 * triggers. Must come before any statement reads a table: a view in place of a table, or an expression in an index, may
 * have SQLite compute without end, and nothing can interrupt it.
 *
 * @throws {SkillSearchError} `NOT_A_CATALOGUE`
 */
function checkSchema(connection: Connection, path: string): void {
  const missing = new Set(STATEMENTS);
  // An index that comes with its table has no SQL, and SQLite itself sees to it that the table is there.
  const found = connection
    .prepare<[number], [type: string, name: string, sql: string]>(
      'SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL LIMIT ?',
    )
    .raw()
    .all(STATEMENTS.length + 1);
  for (const [type, name, sql] of found) {
    if (!missing.delete(sql)) throw foreign(path, `its ${type} \`${name.slice(0, 100)}\` is none of a catalogue`);
  }
  const [lost] = missing;
  if (lost !== undefined) throw foreign(path, `it lacks ${lost.slice(0, lost.indexOf('(')).trim()}`);
}

function foreign(path: string, reason: string): SkillSearchError {
  const message = `${path} is not a catalogue of skill-discovery: ${reason}; ${NEW_FILE}`;
  return new SkillSearchError('NOT_A_CATALOGUE', message, { path });
}

function fileAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A folder of the path is a file, so there is nothing.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    const message = `cannot read ${path}: ${(error as Error).message}`;
    throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path, cause: error });
  }
}

/** Runs work on a catalogue. An error of SQLite becomes one of ours. */
export function guarded<T>(path: string, doing: 'read' | 'write', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (doing === 'read' && isHotJournal(error)) return afterRollBack(path, work);
    throw storeError(error, path, doing);
  }
}

/** Runs work again that failed because a change in place was killed while another connection had the file open. */
function afterRollBack<T>(path: string, work: () => T): T {
  rollBack(path);
  try {
    return work();
  } catch (error) {
    throw storeError(error, path, 'read');
  }
}

/**
 * Turns an error of SQLite into one of ours, and returns any other error as it is. Writing can fail in reading, too.
 */
export function storeError(error: unknown, path: string, doing: 'read' | 'write'): unknown {
  if (isCorrupt(error)) {
    const problem = `SQLite says "${error.message}"`;
    return doing === 'write' ? beyondRepair(path, problem, error) : damagedError(path, problem, undefined, error);
  }
  return databaseError(error, path, doing, 'NOT_A_CATALOGUE');
}

/** Whether SQLite has found that a database contradicts itself. */
export function isCorrupt(error: unknown): error is Error {
  return isSqliteError(error) && error.code.startsWith('SQLITE_CORRUPT');
}

/** Turns an error of SQLite or of the file system into `DATABASE_NOT_WRITABLE`. Returns any other error as it is. */
export function notWritable(catalogue: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isAboutFiles(error)) return error;
  const message = `cannot write ${catalogue}: ${error.message}`;
  return new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: catalogue, cause: error });
}

function isAboutFiles(error: Error): boolean {
  if (isSqliteError(error) || 'errno' in error) return true;
  // better-sqlite3 checks the folder itself, before SQLite does.
  return error instanceof TypeError && /directory does not exist/.test(error.message);
}

/** What helps against damage, as the end of a message. */
const REMEDY = 'load its sources again; `skill-discovery check` lists what is damaged';

/** What helps where damage keeps a load or a check from going on: neither of them can mend it. */
export const NEW_FILE = 'load all sources into a new file';

/**
 * The error of a catalogue that is damaged.
 *
 * @param problem what is wrong, as a sentence without a full stop
 * @param skill id of the skill at fault, if it is known
 */
export function damagedError(path: string, problem: string, skill?: string, cause?: unknown): SkillSearchError {
  const facts = { path, ...(skill === undefined ? {} : { skill }), cause };
  return new SkillSearchError('DATABASE_DAMAGED', `${path} is damaged: ${problem}; ${REMEDY}`, facts);
}

/** The error of a catalogue that no load can mend. */
export function beyondRepair(path: string, problem: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('DATABASE_DAMAGED', `${path} is damaged: ${problem}; ${NEW_FILE}`, { path, cause });
}

/**
 * What {@link damagedError} says, as a load or a check says it: to load its sources or to check it is no remedy for
 * that. Returns any other error as it is.
 */
export function asBeyondRepair(error: unknown): unknown {
  if (!isDamage(error) || error.path === undefined) return error;
  return beyondRepair(error.path, problemIn(error), error.cause);
}

/** What is wrong, without the remedy. */
export function problemIn({ message, path }: SkillSearchError): string {
  const start = `${path} is damaged: `;
  const end = [REMEDY, NEW_FILE].find((remedy) => message.endsWith(`; ${remedy}`));
  if (!message.startsWith(start) || end === undefined) return message;
  return message.slice(start.length, -`; ${end}`.length);
}

/**
 * Bytes of a page of a catalogue. In pages of 4,096, an eighth of a file's texts would be left free, because few rows
 * fit one; in larger pages a record that is shown costs more to read.
 */
export const PAGE_BYTES = 8192;
