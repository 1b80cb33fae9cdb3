import { resolve } from 'node:path';
import { checkDatabase, checkNotShared, checkPath, isPostgresAddress, resolveDatabase } from '../core/index.js';
import type { SharedOptions } from './load-options.js';

/** Where a catalogue is for loads that come later. */
export interface CataloguePlace {
  /** What loads are given as `database`. */
  readonly database: string;
  /** Path of the file: of the catalogue, or of its local copy, which need not exist. */
  readonly path: string;
  /** What messages call it. */
  readonly shown: string;
  /** The folder of a local copy, with what loads have beside it; undefined for a file. */
  readonly folder: string | undefined;
}

/**
 * Finds out where a catalogue is. The folder of a local copy is made.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if the folder holds another catalogue;
 *   `DATABASE_NOT_WRITABLE`; those of connecting, where the folder holds the copy of another address
 * @throws the signal's reason when aborted
 */
export async function cataloguePlace({
  database,
  cache,
  passwordFile,
  signal,
}: SharedOptions & {
  readonly database: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<CataloguePlace> {
  if (!isPostgresAddress(database)) {
    const path = resolveDatabase(checkDatabase(database));
    checkNotShared({ cache, passwordFile });
    return { database: path, path, shown: path, folder: undefined };
  }
  if (cache !== undefined) checkPath('cache', cache, 'a folder');
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  const { claimCopy } = await import('../share/shared-catalogue/claim-copy.js');
  const folder = cache === undefined ? undefined : resolve(cache);
  const copy = await claimCopy(database, { cache: folder, passwordFile, signal });
  return { database, ...copy };
}
