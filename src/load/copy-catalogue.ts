import { constants, existsSync, lstatSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  checkFlag,
  checkNotShared,
  checkOptions,
  checkPath,
  isPostgresAddress,
  isSnapshotAddress,
  namesOf,
  refuseShared,
  resolveDatabase,
  SkillSearchError,
  syncToDisk,
} from '../core/index.js';
import { derivedFiles, forgetJournal, LoadLock, openForReading } from '../store/index.js';
import type { SharedOptions } from './load-options.js';

/** Options of {@link copyCatalogue}. */
export interface CopyOptions extends SharedOptions {
  /** The catalogue's file; or the address of a database of PostgreSQL, whose local copy is brought up to date first. */
  readonly from: string;
  /** Path of the copy. */
  readonly to: string;
  /** Whether to replace what is at `to`. Readers that have it open go on reading that. @default false */
  readonly overwrite?: boolean | undefined;
}

const COPY_OPTIONS = namesOf<CopyOptions>({
  from: true,
  to: true,
  cache: true,
  passwordFile: true,
  overwrite: true,
});

/**
 * Copies a catalogue and its derived files, so that a load into the copy can update them instead of building new ones.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_WRITABLE`, those of opening the catalogue at `from`;
 *   `CATALOGUE_EXISTS` if there is something at `to`, unless `overwrite` is true; `LOAD_IN_PROGRESS` if a load or a
 *   small change is writing there; from PostgreSQL also `SERVICE_UNAVAILABLE`, `DATABASE_NOT_FOUND` if nothing was ever
 *   published, and those of connecting
 */
export async function copyCatalogue(options: CopyOptions): Promise<void> {
  checkOptions(options, COPY_OPTIONS);
  const { from, to, cache, passwordFile, overwrite } = options;
  if (isSnapshotAddress(from)) {
    const message = 'from must be the path of a file: a snapshot is searched; its local copy can be copied';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'from' });
  }
  refuseShared('to', to, 'load sources into it with `buildCatalogue`');
  const isShared = isPostgresAddress(from);
  if (!isShared) checkNotShared(options);
  const file = isShared ? '' : resolveDatabase(checkPath('from', from, 'a file'));
  const target = resolveDatabase(checkPath('to', to, 'a file'));
  checkFlag('overwrite', overwrite);
  if (!isShared) return copyFiles(file, target, overwrite === true);
  const { withNewestCopy } = await import('../share/shared-catalogue/with-newest-copy.js');
  await withNewestCopy({ database: from, cache, passwordFile }, undefined, ({ database }) =>
    copyFiles(database, target, overwrite === true),
  );
}

async function copyFiles(from: string, to: string, overwrites: boolean): Promise<void> {
  if (from === to) throw new SkillSearchError('INVALID_OPTION', `a catalogue cannot be copied onto itself: ${from}`);
  const catalogue = openForReading(from);
  const checkFree = (): void => {
    if (!overwrites && isSomething(to)) throw catalogueExists(to);
  };
  const version = (): number => catalogue.pragma('data_version', { simple: true }) as number;
  let lock: LoadLock | undefined;
  try {
    checkFree();
    // A small change that is being written there would leave its journal at this path, for a reader to play back.
    lock = new LoadLock(to);
    const targets = filesOf(to);
    for (const [i, file] of filesOf(from).entries()) {
      const target = targets[i]!;
      // Copying may take long. A load may have made a catalogue there meanwhile.
      if (existsSync(file)) await replaceByCopy(file, target, i === 0 ? { checkFree, version } : {});
      else await rm(target, { force: true });
    }
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const message = `${from} cannot be copied to ${to}: ${(cause as Error).message}`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: to, cause });
  } finally {
    lock?.release();
    catalogue.close();
  }
}

/** Whether there is anything, even if it is a link that leads nowhere. */
function isSomething(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function catalogueExists(path: string): SkillSearchError {
  const message = `there is something at ${path}: remove it, or copy with \`overwrite: true\``;
  return new SkillSearchError('CATALOGUE_EXISTS', message, { path });
}

/** Times that a catalogue is copied at most, if small changes come meanwhile. */
const MOST_COPIES = 10;

/**
 * Copies aside and renames: readers that have the former file open go on reading that.
 *
 * @param checkFree called before anything is replaced
 * @param version of the file, if it may change while it is copied; waits while a change is written
 */
async function replaceByCopy(
  file: string,
  target: string,
  { checkFree, version }: { readonly checkFree?: () => void; readonly version?: () => number },
): Promise<void> {
  const part = `${target}.copy-part`;
  try {
    // If the file system can share blocks between files, this reads nothing.
    for (let copies = 1; ; copies++) {
      const before = version?.();
      await copyFile(file, part, constants.COPYFILE_FICLONE);
      if (version?.() === before) break;
      if (copies === MOST_COPIES) throw new Error('it was changed again and again');
    }
    syncToDisk(part);
    checkFree?.();
    if (version !== undefined) forgetJournal(target);
    await rename(part, target);
    syncToDisk(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** The catalogue first. If it is replaced meanwhile, the derived files have another stamp and are not used. */
function filesOf(catalogue: string): string[] {
  return [catalogue, ...derivedFiles(catalogue)];
}
