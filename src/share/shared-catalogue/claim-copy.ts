import { realpathSync } from 'node:fs';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import { claimOrTakeOver } from './claim-or-take-over.js';
import { sharedCopyFolder, sharedOrigin } from './shared-origin.js';
import { SharedStore } from './shared-store.js';

/** Where the local copy of a shared catalogue is. */
export interface ClaimedCopy {
  /** Path of the catalogue, which need not exist. */
  readonly path: string;
  /** Absolute and without links. */
  readonly folder: string;
  /** The address of the database for messages, without password. */
  readonly shown: string;
}

/** What leads to a catalogue, besides its address. */
interface ClaimOptions {
  /** The folder; left out for one in the user's cache folder. */
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the folder of a local copy if there is none. The database is asked only where the copy is that of another
 * address: which of the two catalogues a watch would lock and load must be known before.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if it holds another catalogue;
 *   `DATABASE_NOT_WRITABLE`; those of connecting
 * @throws the signal's reason when aborted
 */
export async function claimCopy(database: string, { cache, passwordFile, signal }: ClaimOptions): Promise<ClaimedCopy> {
  const address = readPostgresAddress('database', database);
  const folder = sharedCopyFolder(address, cache);
  const files = new LocalCopy(folder, sharedOrigin(address));
  if (files.otherOrigin === undefined) {
    files.claim();
  } else {
    const store = await SharedStore.open(address, { passwordFile });
    try {
      await claimOrTakeOver(files, store, signal);
    } finally {
      await store.close();
    }
  }
  return { path: files.database, folder: realpathSync(folder), shown: address.shown };
}
