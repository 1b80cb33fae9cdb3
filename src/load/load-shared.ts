import { constants, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDamage, makeFolder, SkillSearchError } from '../core/index.js';
import type { IndexOrWarnOptions } from '../indexing/index.js';
import { isSameRevision, type Replica, type Revision, type SharedStore } from '../share/index.js';
import { FileLock, filesBeside, sqliteFiles, whileOpen } from '../store/index.js';
import { differenceOf, forgetJournal, notWritable } from '../store/writing.js';
import { FILE_SYSTEM_ROOT, type SharedAddress } from './catalogue-place.js';
import type { BuildOptions } from './load-options.js';
import { isInstalledSource } from './open-sources.js';
import type { LoadReport } from './reports.js';
import { type LoadTarget, prepareLoad, runLoad } from './run-load.js';

/** Share of the skills after whose change a new server has a snapshot to fetch that is worth it, and the least. */
const SNAPSHOT_SHARE = 0.05;
const SNAPSHOT_LEAST = 1000;

/** What is done to a shared catalogue. */
export interface SharedWork {
  /** Whether it cannot be done twice, because it reads what can be read only once. */
  readonly isOnce: boolean;
  /** Whether there must be a catalogue already. */
  readonly needsCatalogue?: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * The work of `buildCatalogue` for a catalogue in PostgreSQL.
 *
 * @param options whose names are checked
 */
export async function loadShared({ database, cache, passwordFile, ...options }: BuildOptions): Promise<LoadReport> {
  if (Array.isArray(options.sources) && options.sources.some(isInstalledSource)) {
    const message =
      'installed skills belong to one machine, and a catalogue in PostgreSQL to several: load them into a file';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'sources' });
  }
  const load = await prepareLoad(options, FILE_SYSTEM_ROOT);
  const isOnce = load.sources.some((source) => source.isOnce === true);
  const work = { isOnce, signal: options.signal };
  return loadIntoShared({ database, cache, passwordFile }, work, (target) => runLoad(load, target));
}

/**
 * Does what a load does in a file, with a copy of the replica, and publishes what differs. Loads of one machine run one
 * after the other. Loads of several machines run at the same time; where another was published meanwhile it is done
 * again, from the new revision and with the right to publish: nearly all is known then.
 *
 * @param run does the work. It may be called several times
 * @throws {SkillSearchError} those of connecting; `SERVICE_UNAVAILABLE` if the database stops answering: what was done
 *   is kept for the next load of the same sources; `LOAD_IN_PROGRESS` if others load for too long
 */
export async function loadIntoShared<T>(
  address: SharedAddress,
  work: SharedWork,
  run: (target: LoadTarget) => Promise<T>,
): Promise<T> {
  const { connectShared } = await import('../share/shared-catalogue/replica.js');
  const { store, replica } = await connectShared(address);
  let lock: FileLock | undefined;
  try {
    replica.claim();
    const folder = join(replica.folder, 'load');
    lock = await lockFolder(folder, store.shown, work.signal);
    const result = await runInTurn({ ...work, store, replica, folder, staging: join(folder, 'skills.db') }, run);
    removeContents(folder);
    return result;
  } finally {
    lock?.release();
    await store.close();
  }
}

/** Another load was published since this one began. */
class Conflict extends SkillSearchError {
  constructor(shown: string) {
    super('LOAD_IN_PROGRESS', `another load into ${shown} was published meanwhile: load again`, { path: shown });
  }
}

interface SharedLoad extends SharedWork {
  readonly store: SharedStore;
  readonly replica: Replica;
  readonly folder: string;
  /** The file that the load writes: a catalogue that begins as the replica. */
  readonly staging: string;
}

/** Runs it once, and once more after a conflict, or if what it began with is damaged: the database has the truth. */
async function runInTurn<T>(load: SharedLoad, run: (target: LoadTarget) => Promise<T>): Promise<T> {
  const { store, isOnce, signal } = load;
  const inTurn = (fromNothing: boolean): Promise<T> =>
    store.inTurn(() => attempt(load, run, true, fromNothing), signal);
  try {
    return await (isOnce ? inTurn(false) : attempt(load, run, false, false));
  } catch (error) {
    // Where the database itself is damaged, no other replica would be better.
    const fromNothing = isDamage(error) && error.path !== store.shown;
    if (!isOnce && (error instanceof Conflict || fromNothing)) return inTurn(fromNothing);
    // The next load finds it mended.
    if (isOnce && fromNothing) await prepare(load, true);
    throw error;
  }
}

/** @param hasTurn whether no other load can publish meanwhile */
async function attempt<T>(
  load: SharedLoad,
  run: (target: LoadTarget) => Promise<T>,
  hasTurn: boolean,
  fromNothing: boolean,
): Promise<T> {
  const { store, staging, signal } = load;
  signal?.throwIfAborted();
  const base = await prepare(load, fromNothing);
  const index = (progress: IndexOrWarnOptions): Promise<void> => indexShared(load, progress);
  return run({
    database: staging,
    shown: store.shown,
    home: FILE_SYSTEM_ROOT,
    handOn: () => publish(load, base, hasTurn),
    index,
    indexWhenDue: index,
  });
}

/**
 * Brings the replica to the newest revision, and makes the staging file a copy of it. What a load has left that was not
 * published becomes what the ordinary writer takes the vectors of.
 *
 * @returns that revision; its version is 0 if nothing was ever published
 */
async function prepare(
  { store, replica, folder, staging, needsCatalogue = false, signal }: SharedLoad,
  fromNothing: boolean,
): Promise<Revision> {
  const { revisionIn } = await import('../share/shared-catalogue/replica.js');
  const setAside = (): void => {
    if (!existsSync(staging)) return;
    const { loading } = filesBeside(staging);
    for (const file of sqliteFiles(loading)) rmSync(file, { force: true });
    forgetJournal(staging);
    renameSync(staging, loading);
  };
  if (fromNothing) removeContents(folder);
  const head = await store.head();
  if (head.version === 0 && !needsCatalogue) {
    setAside();
    return head;
  }
  return replica.hold({ signal, index: 'nothing', fromNothing }, async (revision) => {
    if (isSameRevision(revisionIn(staging), revision)) return revision;
    setAside();
    const part = `${staging}-part`;
    try {
      await copyFile(replica.database, part, constants.COPYFILE_FICLONE);
      renameSync(part, staging);
    } catch (error) {
      throw notWritable(staging, error);
    }
    return revision;
  });
}

/** Publishes what differs from the revision that the load began with, and makes the staging file the replica. */
async function publish(
  { store, replica, staging, signal }: SharedLoad,
  base: Revision,
  hasTurn: boolean,
): Promise<void> {
  const isFirst = base.version === 0;
  const difference = differenceOf(isFirst ? undefined : replica.database, staging);
  let published: Revision | undefined;
  try {
    // Another process may have brought the replica further: then another load was published.
    if (!isFirst && !isSameRevision(replica.revision, base)) throw new Conflict(store.shown);
    if (!isFirst && difference.changed.length + difference.removed.length === 0) return;
    const send = (): Promise<Revision | undefined> => store.publish(difference, base, signal);
    published = await (hasTurn ? send() : store.inTurn(send, signal));
  } finally {
    difference.close();
  }
  if (published === undefined) throw new Conflict(store.shown);
  try {
    await replica.adopt(staging, published, signal);
  } catch (error) {
    // It is published: what stands in the way is reported when the replica is brought up to date.
    if (!(error instanceof SkillSearchError)) throw error;
  }
}

/**
 * Brings the replica and its index files up to date, and stores them for new replicas if that is due. The load has
 * succeeded: what fails here is only a warning.
 */
async function indexShared(
  { store, replica, folder }: SharedLoad,
  { signal, onProgress, onWarning }: IndexOrWarnOptions,
): Promise<void> {
  const orWarn = async (origin: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof SkillSearchError)) throw error;
      onWarning({ origin, message: error.message });
    }
  };
  await orWarn('local copy', () => replica.bringUp({ signal, onProgress, onWarning }));
  await orWarn('snapshot', async () => {
    const changed = await store.snapshot.changedSince(signal);
    const skills = whileOpen(
      replica.database,
      (catalogue) => catalogue.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!,
    );
    const most = Math.max(SNAPSHOT_LEAST, SNAPSHOT_SHARE * skills);
    if (changed === undefined || changed > most) await replica.storeSnapshot(join(folder, 'snapshot'), signal);
  });
}

const LOCK = 'lock';

/** Milliseconds that a load waits for another one of this machine. */
const LONGEST_WAIT = 600_000;

/** @throws {SkillSearchError} `LOAD_IN_PROGRESS` if another load of this machine has it for too long */
async function lockFolder(folder: string, shown: string, signal: AbortSignal | undefined): Promise<FileLock> {
  makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
  const began = performance.now();
  let lock: FileLock | undefined;
  try {
    lock = await FileLock.takeInTurn(join(folder, LOCK), signal, () => performance.now() - began < LONGEST_WAIT);
  } catch (error) {
    signal?.throwIfAborted();
    throw notWritable(join(folder, LOCK), error);
  }
  if (lock !== undefined) return lock;
  const message = `another load into ${shown} has been running on this machine for ${LONGEST_WAIT / 60_000} minutes`;
  throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: shown });
}

/** All but the lock. */
function removeContents(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(LOCK)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
