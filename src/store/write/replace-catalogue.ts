import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connection } from '../../sqlite/connection.js';

/** Share of free pages, left by deleted rows, above which a file is packed before it is published. */
const MAX_FREE_SHARE = 0.25;

/**
 * Makes a finished working copy one self-contained file, and puts it in the catalogue's place. Readers that have the
 * former catalogue open go on reading that.
 *
 * @param connection to the working copy; closed here
 */
export function replaceCatalogue(catalogue: string, workingCopy: string, connection: Connection): void {
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.pragma('journal_mode = DELETE');
  const pages = connection.pragma('page_count', { simple: true }) as number;
  const free = connection.pragma('freelist_count', { simple: true }) as number;
  if (free > pages * MAX_FREE_SHARE) connection.exec('VACUUM');
  connection.close();
  if (existsSync(catalogue)) chmodSync(workingCopy, statSync(catalogue).mode);
  syncToDisk(workingCopy);
  renameSync(workingCopy, catalogue);
  syncToDisk(dirname(catalogue));
}

/** Waits until a file, or the entries of a folder, are on the disk. */
function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems cannot sync a folder. A rename there is as safe as they make it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'EPERM') throw error;
  } finally {
    closeSync(file);
  }
}
