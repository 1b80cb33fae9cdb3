import { basename, dirname } from 'node:path';
import { isInside } from '../core/index.js';

/** What SQLite keeps beside a database while it writes. */
const BESIDE_DATABASES = /-(?:journal|wal|shm)$/;

/**
 * Whether a path is the catalogue, or a file that is derived from it, made by a load or by SQLite: what a watch causes
 * itself. They may lie in a watched folder.
 *
 * @param database absolute and without links, as is the path
 * @param folder of the catalogue, where all that is in it belongs to the catalogue; likewise
 */
export function isOwnFile(path: string, database: string, folder?: string): boolean {
  if (folder !== undefined && isInside(path, folder)) return true;
  const name = basename(path);
  if (BESIDE_DATABASES.test(name)) return true;
  if (dirname(path) !== dirname(database)) return false;
  const own = basename(database);
  return name === own || name.startsWith(`${own}.`);
}
