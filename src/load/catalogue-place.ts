import { resolve } from 'node:path';
import { checkDatabase, checkNotShared, checkPath, resolveDatabase } from '../check-arguments.js';
import { isPostgresAddress } from '../database-address.js';
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
 *   `DATABASE_NOT_WRITABLE`
 */
export async function cataloguePlace({
  database,
  cache,
  passwordFile,
}: SharedOptions & { readonly database: string }): Promise<CataloguePlace> {
  if (!isPostgresAddress(database)) {
    const path = resolveDatabase(checkDatabase(database));
    checkNotShared({ cache, passwordFile });
    return { database: path, path, shown: path, folder: undefined };
  }
  if (cache !== undefined) checkPath('cache', cache, 'a folder');
  if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
  const { claimCopy } = await import('../shared-catalogue/claim-copy.js');
  const copy = claimCopy(database, cache === undefined ? undefined : resolve(cache));
  return { database, ...copy };
}
