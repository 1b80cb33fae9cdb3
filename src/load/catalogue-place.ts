import { dirname, resolve } from 'node:path';
import { checkDatabase, checkNotShared, checkPath, isPostgresAddress, resolveDatabase } from '../core/index.js';
import type { Revision } from '../share/index.js';
import type { SharedOptions } from './load-options.js';

/** The names of the options that only catalogues in PostgreSQL have. */
export const SHARED_NAMES: Readonly<Record<keyof SharedOptions, true>> = { cache: true, passwordFile: true };

/** What leads to a catalogue in PostgreSQL. */
export type SharedAddress = SharedOptions & { readonly database: string };

/** What leads to a catalogue: the path of its file, resolved, or an address of PostgreSQL with what belongs to it. */
export type CatalogueAddress =
  | { readonly file: string; readonly shared?: undefined }
  | { readonly file?: undefined; readonly shared: SharedAddress };

/**
 * Reads the options that say which catalogue is meant.
 *
 * @param option what the caller calls `database`, for messages
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function addressOf(options: SharedAddress, option: 'database' | 'from' = 'database'): CatalogueAddress {
  const { database, cache, passwordFile } = options;
  if (isPostgresAddress(database)) {
    if (cache !== undefined) checkPath('cache', cache, 'a folder');
    if (passwordFile !== undefined) checkPath('passwordFile', passwordFile, 'a file');
    return { shared: { database, cache, passwordFile } };
  }
  const path = option === 'database' ? checkDatabase(database) : checkPath(option, database, 'a file');
  checkNotShared(options);
  return { file: resolveDatabase(path) };
}

/**
 * Calls work with the file of a catalogue: for one in PostgreSQL with its local copy, which is brought up to date and
 * does not change meanwhile.
 */
export async function withFile<T>(
  { file, shared }: CatalogueAddress,
  signal: AbortSignal | undefined,
  work: (file: string, revision?: Revision) => Promise<T>,
): Promise<T> {
  if (shared === undefined) return work(file);
  const { withNewestReplica } = await import('../share/shared-catalogue/replica.js');
  return withNewestReplica(shared, signal, work);
}

/**
 * The folder that paths are stored relative to in a catalogue that machines share: the root, so that two machines agree
 * wherever their replicas lie. Paths of other drives are absolute.
 */
export const FILE_SYSTEM_ROOT: string = process.platform === 'win32' ? 'C:\\' : '/';

/** The folder that paths are stored relative to. */
export function homeOf({ file }: CatalogueAddress): string {
  return file === undefined ? FILE_SYSTEM_ROOT : dirname(file);
}

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
export async function placeOf({ file, shared }: CatalogueAddress): Promise<CataloguePlace> {
  if (shared === undefined) return { database: file, path: file, shown: file, folder: undefined };
  const { database, cache } = shared;
  const { claimReplica } = await import('../share/shared-catalogue/replica.js');
  return { database, ...claimReplica(database, cache === undefined ? undefined : resolve(cache)) };
}
