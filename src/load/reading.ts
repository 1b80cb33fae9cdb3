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
import { derivedFiles, LoadLock, openForReading } from '../store/index.js';
import { forgetJournal } from '../store/writing.js';
import type { CheckOptions, CopyOptions, SnapshotOptions, SnapshotReport } from './calls.js';
import { addressOf, withFile } from './catalogue-place.js';
import type { CheckReport } from './reports.js';

// The work of the calls that only read a catalogue.

const CHECK_OPTIONS = namesOf<CheckOptions>({
  database: true,
  cache: true,
  passwordFile: true,
  repair: true,
  signal: true,
});

/** The work of `checkCatalogue`. */
export async function checkAll(options: CheckOptions): Promise<CheckReport> {
  checkOptions(options, CHECK_OPTIONS);
  const { file, shared } = addressOf(options);
  checkFlag('repair', options.repair);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  const repair = options.repair === true;
  if (shared !== undefined) {
    const { checkShared } = await import('./check-shared.js');
    return checkShared(shared, { repair, signal });
  }
  const { findProblems, repairCatalogue, repairedProblems } = await import('./find-problems.js');
  const found = await findProblems(file, signal);
  const all = [...found.problems, ...found.outdated];
  if (!repair || all.length === 0) return { ...found, repaired: [] };
  await repairCatalogue(file, signal);
  const left = await findProblems(file, signal);
  return { ...left, repaired: repairedProblems(all, left) };
}

const COPY_OPTIONS = namesOf<CopyOptions>({
  from: true,
  to: true,
  cache: true,
  passwordFile: true,
  overwrite: true,
});

const SNAPSHOT_OPTIONS = namesOf<SnapshotOptions>({
  database: true,
  cache: true,
  passwordFile: true,
  to: true,
  prune: true,
  signal: true,
});

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

/** The work of `writeSnapshot`. */
export async function snapshotInto(options: SnapshotOptions): Promise<SnapshotReport> {
  checkOptions(options, SNAPSHOT_OPTIONS);
  const { to, prune } = options;
  const address = addressOf(options);
  const folder = resolve(checkPath('to', to, 'a folder'));
  checkFlag('prune', prune);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  return withFile(address, signal, async (database, state) => {
    // Machines whose local copies came about in other ways say the same.
    const written = state?.publishedAt === undefined ? undefined : new Date(state.publishedAt);
    const files = await writeFiles({ database, folder, prunes: prune === true, written, signal });
    return state === undefined ? files : { version: state.version, ...files };
  });
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
