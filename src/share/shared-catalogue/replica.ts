import { constants, existsSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import {
  isDamage,
  makeFolder,
  orUndefined,
  SkillSearchError,
  sha256Of,
  surroundings,
  userFolders,
} from '../../core/index.js';
import { type IndexOrWarnOptions, indexKeywords, indexWhenDue, wordsAreDue } from '../../indexing/index.js';
import { derivedFiles, FileLock, filesBeside } from '../../store/index.js';
import { applyChanges, putInPlace, readNamedState, writeNote } from '../../store/writing.js';
import { type PostgresAddress, readPostgresAddress } from '../postgres/postgres-address.js';
import { CATALOGUE_NAME, readManifest } from '../snapshot/manifest.js';
import { type FetchChunk, lockOf, ReplicaFiles } from '../snapshot/replica-files.js';
import { nothingPublished, type Revision, sharedDamage } from './catalogue-tables.js';
import type { SharedChanges } from './shared-images.js';
import { CONNECTIONS, SharedStore, type SharedStoreOptions } from './shared-store.js';

/** A catalogue in PostgreSQL, and its replica on this machine. */
export interface ConnectedCatalogue {
  /** To be closed by the caller. */
  readonly store: SharedStore;
  readonly replica: Replica;
}

/** What leads to a catalogue in PostgreSQL. */
export interface ConnectOptions extends SharedStoreOptions {
  readonly database: string;
  /** The folder of the replica; left out for one in the user's cache folder. */
  readonly cache?: string | undefined;
}

/** How {@link Replica.bringUp} is followed and stopped. */
export interface BringUpOptions extends IndexReplicaOptions {
  /**
   * Which index files to write where they are due; `words` only the one that a search should not be without.
   *
   * @default 'all'
   */
  readonly index?: 'all' | 'words' | 'nothing';
  /** Whether to make it of nothing that is here: some of that is damaged. @default false */
  readonly fromNothing?: boolean;
  /** Called where the database is a standby that has not got to the revision of the replica: that stays as it is. */
  readonly onBehind?: (() => void) | undefined;
}

/** How indexing a replica is followed and stopped. */
export type IndexReplicaOptions = Partial<IndexOrWarnOptions>;

/** Chunks that are fetched at the same time. */
const CHUNKS_AT_ONCE = CONNECTIONS - 1;

/** A snapshot that is replaced while it is fetched is given up for the next one, so often at most. */
const MOST_SNAPSHOTS = 5;

/** Codes of a file that no change can be written to: another is put in its place. */
const OF_NO_USE: ReadonlySet<string> = new Set([
  'DATABASE_NOT_FOUND',
  'DATABASE_DAMAGED',
  'NOT_A_CATALOGUE',
  'UNSUPPORTED_FORMAT',
]);

/** Codes of a snapshot that is damaged, or of another version of this program. All skills can be had without it. */
const SNAPSHOT_OF_NO_USE: ReadonlySet<string> = new Set(['INVALID_SNAPSHOT', 'UNSUPPORTED_FORMAT', 'DATABASE_DAMAGED']);

interface Reached {
  readonly revision: Revision;
  /** Whether the database is a standby that has not got there yet. */
  readonly isBehind: boolean;
}

/**
 * Connects to the database that has a catalogue, or will have one. Makes the tables if they are not there and may be
 * made.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `DATABASE_NOT_READABLE`, `DATABASE_NOT_WRITABLE`, `UNSUPPORTED_FORMAT`,
 *   `NOT_A_CATALOGUE` as the database is; `POSTGRES_CLIENT_MISSING`
 */
export async function connectShared(options: ConnectOptions): Promise<ConnectedCatalogue> {
  const { database, cache, passwordFile, isReader } = options;
  const address = readPostgresAddress('database', database);
  const store = await SharedStore.open(address, { passwordFile, isReader });
  return { store, replica: new Replica(replicaFiles(address, cache && resolve(cache)), store) };
}

/**
 * Connects to a shared catalogue, brings its replica up to date, and calls work while no other process changes that.
 *
 * @param work is given the path of the replica, and its revision
 * @throws {SkillSearchError} those of connecting and of {@link Replica.bringUp}; whatever the work throws
 * @throws the signal's reason when aborted
 */
export async function withNewestReplica<T>(
  options: ConnectOptions,
  signal: AbortSignal | undefined,
  work: (database: string, revision: Revision) => Promise<T>,
): Promise<T> {
  const { store, replica } = await connectShared({ ...options, isReader: true });
  try {
    return await replica.hold({ signal }, (revision) => work(replica.database, revision));
  } finally {
    await store.close();
  }
}

/** Where the replica of a shared catalogue is. */
export interface ReplicaPlace {
  /** Path of the catalogue, which need not exist. */
  readonly path: string;
  /** Absolute and without links. */
  readonly folder: string;
  /** The address of the database for messages, without password. */
  readonly shown: string;
}

/**
 * Makes the folder of a replica if there is none. The database is not asked.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if it holds another catalogue;
 *   `DATABASE_NOT_WRITABLE`
 */
export function claimReplica(database: string, cache: string | undefined): ReplicaPlace {
  const address = readPostgresAddress('database', database);
  const files = replicaFiles(address, cache);
  files.claim();
  return { path: files.database, folder: realpathSync(files.folder), shown: address.shown };
}

/**
 * Where the replica of a catalogue is, or will be. The user and the password of the address do not matter.
 *
 * @param cache undefined for a folder in the user's cache folder
 */
export function replicaFiles(address: PostgresAddress, cache: string | undefined): ReplicaFiles {
  const of = surroundings();
  const { env } = of;
  const host = address.hosts.map((one) => one.host ?? env['PGHOST'] ?? 'localhost').join();
  const port = address.hosts.map((one) => one.port ?? env['PGPORT'] ?? 5432).join();
  const database = address.database ?? env['PGDATABASE'] ?? address.user ?? env['PGUSER'] ?? userInfo().username;
  const named = JSON.stringify([host, port, database]);
  const key = sha256Of(named).slice(0, 20);
  return new ReplicaFiles(cache ?? join(userFolders(of).cache, 'shared', key), { key, shown: address.shown });
}

/** Which revision of a shared catalogue a file is; undefined if it is none, or cannot be read. */
export function revisionIn(database: string): Revision | undefined {
  const state = orUndefined(
    () => readNamedState(database),
    (error) => error instanceof SkillSearchError,
  );
  const { stamp, note } = state ?? { stamp: '', note: '' };
  const [, identity, version, publishedAt] = /^(\S+) (\d+) (\d+)$/.exec(note) ?? [];
  if (identity === undefined) return undefined;
  return { identity, version: Number(version), stamp, publishedAt: Number(publishedAt) };
}

/** What a catalogue notes of the revision that it is: whose, which version, and when it was published. */
function noteOf({ identity, version, publishedAt }: Revision): string {
  return `${identity} ${version} ${publishedAt}`;
}

/**
 * The replica of a shared catalogue on this machine: an ordinary catalogue in a folder, which is led from its revision
 * to the newest one. Several processes may share the folder; one of them works on it at a time, and the others wait.
 */
export class Replica {
  /** Path of the catalogue. */
  readonly database: string;
  /** Where it lies. */
  readonly folder: string;
  readonly #store: SharedStore;
  readonly #files: ReplicaFiles;

  constructor(files: ReplicaFiles, store: SharedStore) {
    this.#files = files;
    this.#store = store;
    this.database = files.database;
    this.folder = files.folder;
  }

  /** Which revision is here; undefined if none is, or it cannot be read. */
  get revision(): Revision | undefined {
    return revisionIn(this.database);
  }

  /** Like {@link hold}, without work. */
  bringUp(options: BringUpOptions = {}): Promise<Revision> {
    return this.hold(options, async (revision) => revision);
  }

  /**
   * Brings the replica to the newest revision that the database has, and calls work before another process may change
   * it. What is here answers until then.
   *
   * @param work gets the revision that the replica is. What it throws is thrown on as it is
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds another catalogue; `DATABASE_NOT_FOUND` if
   *   nothing was ever published; `DATABASE_DAMAGED`, with the address of the database as its path;
   *   `DATABASE_NOT_WRITABLE`; `SERVICE_UNAVAILABLE` and `DATABASE_NOT_READABLE` as the store says them
   * @throws the signal's reason when aborted
   */
  async hold<T>(options: BringUpOptions, work: (revision: Revision) => Promise<T>): Promise<T> {
    const { signal, index = 'all', fromNothing = false, onBehind } = options;
    return this.#files.alone(signal, async () => {
      const { revision, isBehind } = await this.#files.writing(signal, () => this.#reach(fromNothing, signal));
      if (isBehind) onBehind?.();
      if (index !== 'nothing') await this.#files.writing(signal, () => this.#index(options, index));
      return work(revision);
    });
  }

  /**
   * Writes the index files of the replica as it is, where they are due.
   *
   * @throws the signal's reason when aborted
   */
  async index(options: IndexReplicaOptions): Promise<void> {
    await this.#files.alone(options.signal, () =>
      this.#files.writing(options.signal, () => this.#index(options, 'all')),
    );
  }

  /**
   * Makes the folder if there is none.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if it holds another catalogue; `DATABASE_NOT_WRITABLE`
   */
  claim(): void {
    this.#files.claim();
  }

  /**
   * Puts a catalogue that is published already in the place of the replica, unless that is as new: then the replica
   * stays. Index files stay, too: they are those of the revision that it was made from.
   *
   * @param staging path of the catalogue, which was made from the replica, on the same file system. It is moved away
   * @throws {SkillSearchError} as {@link hold}
   */
  async adopt(staging: string, revision: Revision, signal?: AbortSignal): Promise<void> {
    await this.#files.alone(signal, () =>
      this.#files.writing(signal, async () => {
        const here = this.revision;
        if (here?.identity === revision.identity && here.version >= revision.version) return;
        writeNote(staging, noteOf(revision));
        putInPlace(this.database, staging);
      }),
    );
  }

  /**
   * Stores the files of the replica for new replicas.
   *
   * @param folder for the files while they are read, which takes long; no other process uses it
   * @throws {SkillSearchError} as {@link hold}
   * @throws the signal's reason when aborted
   */
  async storeSnapshot(folder: string, signal?: AbortSignal): Promise<void> {
    const database = join(folder, CATALOGUE_NAME);
    await this.#files.writing(signal, async () => {
      rmSync(folder, { recursive: true, force: true });
      makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
      const revision = await this.#files.alone(signal, async () => {
        for (const file of [this.database, ...derivedFiles(this.database)]) {
          if (existsSync(file)) await copyFile(file, join(folder, basename(file)), constants.COPYFILE_FICLONE);
        }
        const { atime, mtime } = statSync(this.database);
        utimesSync(database, atime, mtime);
        return this.revision;
      });
      if (revision !== undefined) await this.#store.snapshot.store(database, revision, signal);
      rmSync(folder, { recursive: true, force: true });
    });
  }

  async #index({ signal, onProgress = () => {}, onWarning = () => {} }: IndexReplicaOptions, which: 'all' | 'words') {
    if (which === 'all') return indexWhenDue(this.database, { signal, onProgress, onWarning });
    // Without any index of words, the first searches of each process would take long.
    if (existsSync(filesBeside(this.database).keyword)) return;
    await indexKeywords(this.database, { signal, onProgress }).catch((error: unknown) => {
      // With the other files it is tried again, and reported.
      if (signal?.aborted === true) throw error;
    });
  }

  /**
   * Goes on from what is here; else from a snapshot; else reads everything. What runs have left that were killed on
   * another way is deleted. What a standby has not got to yet stays as it is, and so does the replica where what has
   * changed is damaged in the database.
   */
  async #reach(fromNothing: boolean, signal: AbortSignal | undefined): Promise<Reached> {
    const here = this.revision;
    const led = here === undefined || fromNothing ? undefined : await this.#lead(here, signal);
    const reached = led ?? (await this.#make(signal));
    rmSync(dirname(this.#staging), { recursive: true, force: true });
    this.#files.discard();
    // A replica that had to be made again is what a standby has, which may be less.
    const wasLater =
      fromNothing && here?.identity === reached.revision.identity && here.version > reached.revision.version;
    return wasLater ? { ...reached, isBehind: true } : reached;
  }

  /**
   * Writes what has changed since a revision into the replica, which is that revision.
   *
   * @returns undefined if no changes lead on from it
   */
  #lead(from: Revision, signal: AbortSignal | undefined): Promise<Reached | undefined> {
    const work = async (changes: SharedChanges): Promise<Reached | undefined> => {
      const { revision, isWhole, isBehind } = changes;
      if (isBehind) return { revision: from, isBehind };
      if (revision.version === 0) throw nothingPublished(this.#store.shown);
      if (isWhole) return undefined;
      try {
        if (revision.version > from.version) await this.#apply(this.database, changes, signal);
        return { revision, isBehind };
      } catch (error) {
        const isOfFile =
          error instanceof SkillSearchError && OF_NO_USE.has(error.code) && error.path !== this.#store.shown;
        if (isOfFile) return undefined;
        throw error;
      }
    };
    return this.#store.withChangesSince(from, work, signal);
  }

  async #make(signal: AbortSignal | undefined): Promise<Reached> {
    const snapshot = await this.#takeSnapshot(signal);
    const led = snapshot === undefined ? undefined : await this.#lead(snapshot, signal);
    return led ?? { revision: await this.#readAll(signal), isBehind: false };
  }

  async #apply(file: string, changes: SharedChanges, signal: AbortSignal | undefined): Promise<void> {
    try {
      await applyChanges(file, changes, { note: noteOf(changes.revision), signal });
    } catch (error) {
      // What comes is checked, skill by skill. Damage of the file is said with its path.
      if (!isDamage(error) || error.skill === undefined || error.path !== undefined) throw error;
      throw sharedDamage(this.#store.shown, error.message, { skill: error.skill });
    }
  }

  /** Writes all skills into a new file, which takes the place of the replica. */
  #readAll(signal: AbortSignal | undefined): Promise<Revision> {
    const staging = this.#staging;
    const work = async (changes: SharedChanges): Promise<Revision> => {
      const { revision } = changes;
      if (revision.version === 0) throw nothingPublished(this.#store.shown);
      makeFolder(dirname(staging), { code: 'DATABASE_NOT_WRITABLE' });
      // One that a killed run has finished may have what is gone by now. What it had begun is gone on with.
      rmSync(staging, { force: true });
      await this.#apply(staging, changes, signal);
      // They are told by their stamp. A file that was made another way may have had the same one, and other numbers.
      for (const file of derivedFiles(this.database)) rmSync(file, { force: true });
      putInPlace(this.database, staging);
      return revision;
    };
    return this.#store.withChangesSince(undefined, work, signal);
  }

  /**
   * Makes the replica the newest snapshot, if there is one that can be used.
   *
   * @returns its revision
   */
  async #takeSnapshot(signal: AbortSignal | undefined): Promise<Revision | undefined> {
    const { snapshot, shown } = this.#store;
    const fetch: FetchChunk = async (digest, bytes, ending) => {
      const chunk = await snapshot.chunk(digest, ending);
      if (chunk === undefined) throw new SkillSearchError('SNAPSHOT_NOT_AVAILABLE', `the snapshot of ${shown} is gone`);
      // It was compared with its digest.
      if (chunk.length === bytes) return chunk;
      const message = `${shown}: chunk ${digest.slice(0, 12)} of its snapshot has not ${bytes} bytes`;
      throw new SkillSearchError('INVALID_SNAPSHOT', message);
    };
    for (let attempt = 1; attempt <= MOST_SNAPSHOTS; attempt++) {
      const found = await snapshot.find(signal);
      if (found === undefined) return undefined;
      try {
        const manifest = readManifest(found.manifest, shown);
        await this.#files.bringTo(manifest, fetch, CHUNKS_AT_ONCE, signal);
        // Changes that are written from now on make other files of them.
        this.#files.forget();
        return this.revision;
      } catch (error) {
        if (!(error instanceof SkillSearchError)) throw error;
        // Fetching it began before another took its place: what is fetched already stays.
        if (error.code === 'SNAPSHOT_NOT_AVAILABLE') continue;
        if (!SNAPSHOT_OF_NO_USE.has(error.code)) throw error;
        // A reader leaves it to others.
        if (error.code !== 'UNSUPPORTED_FORMAT') await snapshot.delete(found.revision).catch(() => {});
        return undefined;
      }
    }
    return undefined;
  }

  /** Where all skills are written into a new file. */
  get #staging(): string {
    return join(dirname(this.database), 'new', CATALOGUE_NAME);
  }
}

/**
 * Writes the index of words of a replica where it is due, and needs no database for that. It takes as long as the next
 * search would take without it, and spares that to all later ones. Where it cannot be written, or another process works
 * on the replica, that search collects the words in memory.
 *
 * @throws the signal's reason when aborted
 */
export async function indexDueWords(database: string, signal: AbortSignal | undefined): Promise<void> {
  let lock: FileLock | undefined;
  try {
    if (!wordsAreDue(database)) return;
    lock = FileLock.take(lockOf(database));
    if (lock !== undefined) await indexKeywords(database, { signal });
  } catch {
    signal?.throwIfAborted();
  } finally {
    lock?.release();
  }
}
