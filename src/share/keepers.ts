import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSnapshotAddress, SkillSearchError, surroundings, userFolders } from '../core/index.js';
import { derivedFiles } from '../store/index.js';
import { type PostgresAddress, readPostgresAddress } from './postgres/postgres-address.js';
import { isAhead, isSameRevision, type Revision } from './shared-catalogue/catalogue-tables.js';
import { type BringUpOptions, type IndexReplicaOptions, Replica, replicaFiles } from './shared-catalogue/replica.js';
import { SharedStore } from './shared-catalogue/shared-store.js';
import { manifestText } from './snapshot/manifest.js';
import { Origin, REQUESTS_AT_ONCE } from './snapshot/origin.js';
import { type FetchChunk, ReplicaFiles } from './snapshot/replica-files.js';

/** What a replica is of, and where it lies. */
export interface ReplicaAddress {
  /** The address of a snapshot's manifest, or of a database of PostgreSQL. */
  readonly address: string;
  /** The folder of the replica; undefined for one in the user's cache folder. */
  readonly cache: string | undefined;
  /** A file with the password of a database. */
  readonly passwordFile: string | undefined;
}

/** What a look at a replica has found. */
export interface LookedReplica {
  /** That the replica is; undefined for one of a snapshot. */
  readonly revision?: Revision | undefined;
  /** Whether the address has nothing newer; a standby that is behind does not know that. */
  readonly isNewest: boolean;
}

/** Looks whether a replica is the newest revision of what its address names, and brings it there if it is not. */
export interface ReplicaKeeper {
  readonly files: ReplicaFiles;
  /** Whether it is of a catalogue in PostgreSQL. */
  readonly isShared: boolean;
  /**
   * Looks, and does what is to be done. One call at a time. With `fromNothing` nothing that is here is believed.
   *
   * @throws {SkillSearchError} those of {@link Origin} and `ReplicaFiles.bringTo`; those of opening a `SharedStore` and
   *   of `Replica.bringUp`
   * @throws the signal's reason when aborted
   */
  look(options: Pick<BringUpOptions, 'signal' | 'index' | 'fromNothing'>): Promise<LookedReplica>;
  /** Writes the index files that are due. */
  index(options: IndexReplicaOptions): Promise<void>;
  close(): Promise<void>;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function keeperOf({ address, cache, passwordFile }: ReplicaAddress): ReplicaKeeper {
  return isSnapshotAddress(address)
    ? new SnapshotKeeper(new Origin(address), cache)
    : new SharedKeeper(readPostgresAddress('database', address), cache, passwordFile);
}

/** Of a snapshot. */
class SnapshotKeeper implements ReplicaKeeper {
  readonly files: ReplicaFiles;
  readonly isShared = false;
  readonly #origin: Origin;
  /** What the server calls its manifest, and the manifest. */
  #known: { readonly tag: string | undefined; readonly text: string } | undefined;

  constructor(origin: Origin, cache: string | undefined) {
    this.#origin = origin;
    this.files = new ReplicaFiles(cache ?? join(userFolders(surroundings()).cache, 'snapshots', origin.key), origin);
  }

  async look({ signal, fromNothing = false }: Parameters<ReplicaKeeper['look']>[0]): Promise<LookedReplica> {
    const fetch: FetchChunk = (digest, bytes, ending) => this.#origin.chunk(digest, bytes, ending);
    // The replica may have been deleted, or another process may have brought it to another revision.
    const isHere = (text: string | undefined): boolean => {
      const here = fromNothing ? undefined : this.files.manifest;
      return here !== undefined && manifestText(here) === text;
    };
    const tag = isHere(this.#known?.text) ? this.#known?.tag : undefined;
    const found = await this.#origin.manifest(tag, signal);
    if (found === undefined) return { isNewest: true };
    const { manifest } = found;
    const text = manifestText(manifest);
    if (!isHere(text)) {
      await this.files.alone(signal, async () => {
        if (!isHere(text)) await this.files.bringTo(manifest, fetch, REQUESTS_AT_ONCE, signal);
      });
    }
    this.#known = { tag: found.tag, text };
    return { isNewest: true };
  }

  /** They come with the snapshot. */
  async index(): Promise<void> {}

  async close(): Promise<void> {}
}

/** After which indexing that failed is tried again, in milliseconds: a disk stays full for a while. */
const INDEX_AGAIN_AFTER = 300_000;

/**
 * Of a catalogue in PostgreSQL. Connects when it first looks, so that a program that has a replica needs no database.
 */
class SharedKeeper implements ReplicaKeeper {
  readonly files: ReplicaFiles;
  readonly isShared = true;
  readonly #address: PostgresAddress;
  readonly #passwordFile: string | undefined;
  #opened: Promise<{ readonly store: SharedStore; readonly replica: Replica }> | undefined;
  #isClosed = false;
  /** Whether the index files were looked at: the process that wrote the replica may have been killed before. */
  #hasIndexed = false;
  /** The replica and its index files after the last attempt to write those, and when another is made at the latest. */
  #attempted = { files: '', until: 0 };

  constructor(address: PostgresAddress, cache: string | undefined, passwordFile: string | undefined) {
    this.#address = address;
    this.#passwordFile = passwordFile;
    this.files = replicaFiles(address, cache);
  }

  async look(options: Parameters<ReplicaKeeper['look']>[0]): Promise<LookedReplica> {
    const { store, replica } = await this.#open();
    options.signal?.throwIfAborted();
    if (this.#hasIndexed && options.fromNothing !== true) {
      const present = await store.head();
      // The replica may have been deleted, or another process may have brought it to another revision.
      const here = replica.revision;
      if (here !== undefined && isSameRevision(here, present)) return { revision: here, isNewest: true };
      if (here !== undefined && isAhead(here, present)) return { revision: here, isNewest: false };
    }
    let isNewest = true;
    const onBehind = (): void => {
      isNewest = false;
    };
    const revision = await replica.bringUp({ ...options, onBehind });
    this.#hasIndexed = true;
    return { revision, isNewest };
  }

  /**
   * Nothing is done unless the replica or its index files have changed since they were written. They are not told apart
   * by their contents: where programs of two versions share a folder, each would write its own in turn, on and on.
   */
  async index({ onWarning = () => {}, ...options }: IndexReplicaOptions): Promise<void> {
    const { replica } = await this.#open();
    const { files, until } = this.#attempted;
    if (files === filesOf(replica) || performance.now() < until) return;
    this.#attempted = { files: '', until: performance.now() + INDEX_AGAIN_AFTER };
    let isDone = true;
    await replica.index({
      ...options,
      onWarning: (warning) => {
        isDone = false;
        onWarning(warning);
      },
    });
    if (isDone) this.#attempted = { files: filesOf(replica), until: 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.store.close();
  }

  #open(): Promise<{ readonly store: SharedStore; readonly replica: Replica }> {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'the replica is closed');
    this.#opened ??= SharedStore.open(this.#address, { passwordFile: this.#passwordFile, isReader: true }).then(
      (store) => ({ store, replica: new Replica(this.files, store) }),
      (error: unknown) => {
        // The next look tries again.
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }
}

/** Names a replica as it is, and its index files. A file in the place of a deleted one may get its number. */
function filesOf({ database, revision }: Replica): string {
  const found = statSync(database, { bigint: true, throwIfNoEntry: false });
  const file = found === undefined ? '' : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
  return [revision?.stamp, file, ...derivedFiles(database).filter(existsSync)].join('\n');
}
