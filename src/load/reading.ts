import { constants, existsSync, lstatSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  checkFlag,
  checkOptions,
  checkPath,
  checkSignal,
  isSnapshotAddress,
  namesOf,
  refuseShared,
  resolveDatabase,
  SkillSearchError,
  syncToDisk,
} from '../core/index.js';
import { writeFiles } from '../share/index.js';
import { derivedFiles, FileLock, openForReading } from '../store/index.js';
import { forgetJournal } from '../store/writing.js';
import type { CopyOptions, SnapshotOptions, SnapshotReport } from './calls.js';
import { addressOf, SHARED_NAMES, withFile } from './catalogue-place.js';

// The work of the calls that only read a catalogue.

const SNAPSHOT_OPTIONS = namesOf<SnapshotOptions>({
  database: true,
  ...SHARED_NAMES,
  to: true,
  prune: true,
  signal: true,
});

/** The work of `writeSnapshot`. */
export async function snapshotInto(options: SnapshotOptions): Promise<SnapshotReport> {
  checkOptions(options, SNAPSHOT_OPTIONS);
  const { to, prune } = options;
  const address = addressOf(options);
  const folder = resolve(checkPath('to', to, 'a folder'));
  checkFlag('prune', prune);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  return withFile(address, signal, async (database, revision) => {
    // Machines whose local copies came about in other ways say the same.
    const written = revision?.publishedAt === undefined ? undefined : new Date(revision.publishedAt);
    const files = await writeFiles({ database, folder, prunes: prune === true, written, signal });
    return revision === undefined ? files : { version: revision.version, ...files };
  });
}

const COPY_OPTIONS = namesOf<CopyOptions>({ from: true, to: true, ...SHARED_NAMES, overwrite: true });

/** The work of `copyCatalogue`. */
export async function copyTo(options: CopyOptions): Promise<void> {
  checkOptions(options, COPY_OPTIONS);
  const { from, to, cache, passwordFile, overwrite } = options;
  if (isSnapshotAddress(from)) {
    const message = 'from must be the path of a file: a snapshot is searched; its local copy can be copied';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'from' });
  }
  refuseShared('to', to, 'load sources into it with `buildCatalogue`');
  const address = addressOf({ database: from, cache, passwordFile }, 'from');
  const target = resolveDatabase(checkPath('to', to, 'a file'));
  checkFlag('overwrite', overwrite);
  await withFile(address, undefined, (file) => copyFiles(file, target, overwrite === true));
}

async function copyFiles(from: string, to: string, overwrites: boolean): Promise<void> {
  if (from === to) throw new SkillSearchError('INVALID_OPTION', `a catalogue cannot be copied onto itself: ${from}`);
  const catalogue = openForReading(from);
  const checkFree = (): void => {
    // There may be a link that leads nowhere.
    if (overwrites || lstatSync(to, { throwIfNoEntry: false }) === undefined) return;
    const message = `there is something at ${to}: remove it, or copy with \`overwrite: true\``;
    throw new SkillSearchError('CATALOGUE_EXISTS', message, { path: to });
  };
  let lock: FileLock | undefined;
  try {
    checkFree();
    // A small change that is being written there would leave its journal at this path, for a reader to play back.
    lock = FileLock.ofLoad(to);
    const version = (): number => catalogue.pragma('data_version', { simple: true }) as number;
    await replaceByCopy(from, to, version, () => {
      // Copying may take long. A load may have made a catalogue there meanwhile.
      checkFree();
      forgetJournal(to);
    });
    // After the catalogue: if that is replaced meanwhile, these have another stamp and are not used.
    const targets = derivedFiles(to);
    for (const [i, file] of derivedFiles(from).entries()) {
      if (existsSync(file)) await replaceByCopy(file, targets[i]!);
      else await rm(targets[i]!, { force: true });
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

/** Times that a file is copied at most, if small changes come meanwhile. */
const MOST_COPIES = 10;

/**
 * Copies aside and renames: readers that have the former file open go on reading that.
 *
 * @param version of the file, if it may change while it is copied; waits while a change is written
 * @param prepare called before anything is replaced
 */
async function replaceByCopy(
  file: string,
  target: string,
  version: () => number = () => 0,
  prepare: () => void = () => {},
): Promise<void> {
  const part = `${target}.copy-part`;
  try {
    for (let copies = 1; ; copies++) {
      const before = version();
      // If the file system can share blocks between files, this reads nothing.
      await copyFile(file, part, constants.COPYFILE_FICLONE);
      if (version() === before) break;
      if (copies === MOST_COPIES) throw new Error('it was changed again and again');
    }
    syncToDisk(part);
    prepare();
    await rename(part, target);
    syncToDisk(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
