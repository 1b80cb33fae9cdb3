import { resolve } from 'node:path';
import { checkPath } from '../../core/index.js';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import { SharedCopy } from './shared-copy.js';
import { sharedCopyFolder } from './shared-origin.js';
import { SharedStore } from './shared-store.js';

/** A catalogue in PostgreSQL, and its copy on this machine. */
export interface ConnectedCatalogue {
  /** Whoever connects closes it. */
  readonly store: SharedStore;
  readonly copy: SharedCopy;
}

/** What leads to a catalogue in PostgreSQL. */
export interface ConnectOptions {
  readonly database: string;
  /** The folder of the copy; left out for one in the user's cache folder. */
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
  /** Whether the catalogue is only read: then it may be a standby. @default false */
  readonly isReader?: boolean | undefined;
}

/**
 * Connects to the database that has a catalogue, or will have one. Makes the tables if they are not there and
 * may be made.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `DATABASE_NOT_READABLE`, `DATABASE_NOT_WRITABLE`, `UNSUPPORTED_FORMAT`,
 *   `NOT_A_CATALOGUE` as the database is; `POSTGRES_CLIENT_MISSING`
 */
export async function connectShared({
  database,
  cache,
  passwordFile,
  isReader,
}: ConnectOptions): Promise<ConnectedCatalogue> {
  if (cache !== undefined) checkPath('cache', cache, 'a folder');
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  const address = readPostgresAddress('database', database);
  const store = await SharedStore.open(address, { passwordFile, isReader });
  return { store, copy: new SharedCopy(resolve(sharedCopyFolder(address, cache)), address, store) };
}
