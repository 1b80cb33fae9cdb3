import { resolve } from 'node:path';
import {
  checkDatabase,
  checkFlag,
  checkNotShared,
  checkOptions,
  checkPath,
  checkSignal,
  isPostgresAddress,
  namesOf,
  resolveDatabase,
} from '../core/index.js';
import { type WrittenFiles, writeFiles } from '../share/index.js';
import type { SharedOptions } from './load-options.js';

/** Options of {@link writeSnapshot}. */
export interface SnapshotOptions extends SharedOptions {
  /**
   * Path of the catalogue's file, which is only read; or the address of a database of PostgreSQL, whose local copy is
   * brought up to date first.
   */
  readonly database: string;
  /** The folder that the snapshot is written into. It is made where there is none. */
  readonly to: string;
  /**
   * Whether to delete chunks that neither this snapshot nor the one before it uses: who follows may still be fetching
   * that one.
   *
   * @default false
   */
  readonly prune?: boolean | undefined;
  /** Stops the writing. The snapshot before stays. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link writeSnapshot} did. */
export interface SnapshotReport extends WrittenFiles {
  /** Which version of a catalogue in PostgreSQL it is; only for such a one. */
  readonly version?: number;
}

const OPTIONS = namesOf<SnapshotOptions>({
  database: true,
  cache: true,
  passwordFile: true,
  to: true,
  prune: true,
  signal: true,
});

/**
 * Writes the files of a catalogue into a folder, so that any web server or bucket can hand them on: chunks that are
 * named by their SHA-256 and never change, and a manifest that says which of them make up the catalogue. The manifest
 * is written last. A chunk that is there already is not written again.
 *
 * Of a catalogue in PostgreSQL it is one published version: the newest when the writing began.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; those of opening the catalogue; `LOAD_IN_PROGRESS` if a load does not
 *   end, or changes follow one another too fast; `SNAPSHOT_NOT_WRITABLE`; for PostgreSQL also `SERVICE_UNAVAILABLE`,
 *   and those of connecting
 * @throws the signal's reason when aborted
 */
export async function writeSnapshot(options: SnapshotOptions): Promise<SnapshotReport> {
  checkOptions(options, OPTIONS);
  const { database, cache, passwordFile, to, prune } = options;
  const isShared = isPostgresAddress(database);
  const file = isShared ? '' : resolveDatabase(checkDatabase(database));
  if (!isShared) checkNotShared(options);
  const folder = resolve(checkPath('to', to, 'a folder'));
  checkFlag('prune', prune);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  const how = { folder, prunes: prune === true, signal };
  if (!isShared) return writeFiles({ database: file, ...how });
  const { withNewestCopy } = await import('../share/shared-catalogue/with-newest-copy.js');
  return withNewestCopy({ database, cache, passwordFile }, signal, async (copy) => {
    const { version, publishedAt } = copy.state;
    // Machines whose copies came about in other ways say the same.
    const written = publishedAt === undefined ? undefined : new Date(publishedAt);
    return { version, ...(await writeFiles({ database: copy.database, written, ...how })) };
  });
}
