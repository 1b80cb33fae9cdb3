import { type Stats, statSync } from 'node:fs';
import { SkillSearchError } from '../errors.js';
import { type Connection, Database, databaseError } from '../sqlite/connection.js';
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA } from './schema.js';

/** A new, empty catalogue in memory. */
export function createInMemory(): Connection {
  const connection = new Database(':memory:');
  createSchema(connection);
  return connection;
}

/** Opens a file for writing, making it if need be, whatever is in it. */
export function openForWriting(path: string): Connection {
  return new Database(path, { timeout: 0 });
}

export function createSchema(connection: Connection): void {
  connection.pragma(`application_id = ${APPLICATION_ID}`);
  connection.pragma(`user_version = ${FORMAT_VERSION}`);
  connection.exec(SCHEMA);
}

/**
 * Opens a finished catalogue for reading.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT`
 */
export function openForReading(path: string): Connection {
  const stat = fileAt(path);
  if (stat === undefined) {
    const message = `no catalogue at ${path}: make one with \`skill-discovery load\``;
    throw new SkillSearchError('DATABASE_NOT_FOUND', message, { path });
  }
  if (!stat.isFile()) throw new SkillSearchError('NOT_A_CATALOGUE', `${path} is not a file`, { path });
  let connection: Connection | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true });
    checkFormat(connection, path);
    return connection;
  } catch (error) {
    connection?.close();
    throw storeError(error, path, 'read');
  }
}

/** @throws {SkillSearchError} `NOT_A_CATALOGUE`, `UNSUPPORTED_FORMAT` */
function checkFormat(connection: Connection, path: string): void {
  const applicationId = connection.pragma('application_id', { simple: true });
  if (applicationId !== APPLICATION_ID) {
    throw new SkillSearchError('NOT_A_CATALOGUE', `${path} is a database, but not a catalogue of skills`, { path });
  }
  const version = connection.pragma('user_version', { simple: true });
  if (version !== FORMAT_VERSION) {
    const message = `${path} has catalogue format ${version}, this version reads format ${FORMAT_VERSION}: load the sources again into a new file`;
    throw new SkillSearchError('UNSUPPORTED_FORMAT', message, { path });
  }
}

function fileAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A path below a file: nothing is there.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    const message = `cannot read ${path}: ${(error as Error).message}`;
    throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path, cause: error });
  }
}

/** An error of SQLite as one of ours; any other error as it is. Who writes may fail in reading, too. */
export function storeError(error: unknown, path: string, doing: 'read' | 'write'): unknown {
  return databaseError(error, path, doing, 'NOT_A_CATALOGUE');
}
