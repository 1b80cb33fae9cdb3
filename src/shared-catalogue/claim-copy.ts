import { realpathSync } from 'node:fs';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import { sharedCopyFolder, sharedOrigin } from './shared-origin.js';

/** Where the local copy of a shared catalogue is. */
export interface ClaimedCopy {
  /** Path of the catalogue, which need not exist. */
  readonly path: string;
  /** Absolute and without links. */
  readonly folder: string;
  /** The address of the database for messages, without password. */
  readonly shown: string;
}

/**
 * Makes the folder of a local copy if there is none. Asks the database nothing.
 *
 * @param cache the folder; undefined for one in the user's cache folder
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if it holds another catalogue; `DATABASE_NOT_WRITABLE`
 */
export function claimCopy(database: string, cache: string | undefined): ClaimedCopy {
  const address = readPostgresAddress('database', database);
  const folder = sharedCopyFolder(address, cache);
  const files = new LocalCopy(folder, sharedOrigin(address));
  files.claim();
  return { path: files.database, folder: realpathSync(folder), shown: address.shown };
}
