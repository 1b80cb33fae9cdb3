import { chmodSync, existsSync, statSync } from 'node:fs';
import { SkillSearchError } from '../../core/index.js';
import { choosePages } from '../database.js';
import { pageBytesFor } from '../page-bytes.js';
import { type Connection, isSqliteError } from '../sqlite/connection.js';
import { putInPlace } from './put-in-place.js';

/** Share of free pages, left by deleted rows, above which a file is packed before it is published. */
const MAX_FREE_SHARE = 0.25;

/**
 * Makes a finished working copy one self-contained file, and puts it in the catalogue's place. Readers that have the
 * former catalogue open go on reading that.
 *
 * @param connection to the working copy; closed here
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; also errors of SQLite and the file system
 */
export function replaceCatalogue(catalogue: string, workingCopy: string, connection: Connection): void {
  connection.pragma('wal_checkpoint(TRUNCATE)');
  // A write-ahead log needs less, but a power cut while the journal is written must not spoil the file either.
  connection.pragma('synchronous = FULL');
  const mode = connection.pragma('journal_mode = DELETE', { simple: true });
  packIfWorthwhile(connection);
  connection.close();
  // Whoever renamed the file without its journal would publish half of what was written.
  const left = [`${workingCopy}-journal`, `${workingCopy}-wal`].find((path) => existsSync(path));
  if (mode !== 'delete' || left !== undefined) {
    const message = `cannot write ${catalogue}: ${left ?? workingCopy} could not be finished`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: catalogue });
  }
  if (existsSync(catalogue)) chmodSync(workingCopy, statSync(catalogue).mode);
  putInPlace(catalogue, workingCopy);
}

/** Writes the file again without the pages that are free, or in pages of the size that is right for it. */
function packIfWorthwhile(connection: Connection): void {
  const numberIn = (name: string): number => connection.pragma(name, { simple: true }) as number;
  const [pages, free, pageBytes] = [numberIn('page_count'), numberIn('freelist_count'), numberIn('page_size')];
  const wanted = pageBytesFor((pages - free) * pageBytes, pageBytes);
  if (free <= pages * MAX_FREE_SHARE && wanted === pageBytes) return;
  choosePages(connection, wanted);
  pack(connection);
}

/** Packing needs room for the file twice more. Without that room the file stays as large as it is, and as good. */
function pack(connection: Connection): void {
  try {
    connection.exec('VACUUM');
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}
