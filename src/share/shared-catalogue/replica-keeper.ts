import { existsSync, statSync } from 'node:fs';
import { SkillSearchError } from '../../core/index.js';
import { derivedFiles } from '../../store/index.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { isAhead, isSameRevision, type Revision } from './catalogue-tables.js';
import { type BringUpOptions, type IndexReplicaOptions, Replica } from './replica.js';
import { SharedStore } from './shared-store.js';

/** Where a shared catalogue is, and its replica. */
interface KeptReplica {
  readonly address: PostgresAddress;
  readonly passwordFile: string | undefined;
  readonly folder: string;
}

/** What a look at a replica has found. */
export interface LookedReplica {
  /** That the replica is. */
  readonly revision: Revision;
  /** Whether the database has nothing newer; a standby that is behind does not know that. */
  readonly isNewest: boolean;
}

/** After which indexing that failed is tried again, in milliseconds: a disk stays full for a while. */
const INDEX_AGAIN_AFTER = 300_000;

/**
 * Looks whether a replica is the newest revision, and brings it there if it is not. Connects when it first looks, so
 * that a program that has a replica needs no database.
 */
export class ReplicaKeeper {
  readonly #kept: KeptReplica;
  #opened: Promise<{ readonly store: SharedStore; readonly replica: Replica }> | undefined;
  #isClosed = false;
  /** Whether the index files were looked at: the process that wrote the replica may have been killed before. */
  #hasIndexed = false;
  /** The replica and its index files after the last attempt to write those, and when another is made at the latest. */
  #attempted: { readonly files: string; readonly until: number } | undefined;

  constructor(kept: KeptReplica) {
    this.#kept = kept;
  }

  /**
   * Looks, and does what is to be done. One call at a time. With `fromNothing` nothing that is here is believed.
   *
   * @throws {SkillSearchError} as opening the store and `Replica.bringUp` do
   * @throws the signal's reason when aborted
   */
  async look(options: Pick<BringUpOptions, 'signal' | 'index' | 'fromNothing'>): Promise<LookedReplica> {
    const { store, replica } = await this.#open();
    options.signal?.throwIfAborted();
    if (this.#hasIndexed && options.fromNothing !== true) {
      const present = await store.head();
      // The replica may have been deleted, or another process may have brought it to another revision.
      const here = replica.revision;
      if (here !== undefined && isSameRevision(here, present)) {
        const { publishedAt } = present;
        return { revision: publishedAt === undefined ? here : { ...here, publishedAt }, isNewest: true };
      }
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
   * Writes the index files of the replica if anything of it, or of them, has changed since they were written. They are
   * not told apart by their contents: where programs of two versions share a folder, each would write its own in turn,
   * on and on.
   *
   * @throws {SkillSearchError} as `Replica.index` does
   */
  async index({ onWarning = () => {}, ...options }: IndexReplicaOptions): Promise<void> {
    const { replica } = await this.#open();
    const { files, until } = this.#attempted ?? { files: '', until: 0 };
    if (files === filesOf(replica) || performance.now() < until) return;
    let isDone = true;
    try {
      await replica.index({
        ...options,
        onWarning: (warning) => {
          isDone = false;
          onWarning(warning);
        },
      });
    } catch (error) {
      isDone = false;
      throw error;
    } finally {
      const again = performance.now() + INDEX_AGAIN_AFTER;
      this.#attempted = isDone ? { files: filesOf(replica), until: 0 } : { files: '', until: again };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.store.close();
  }

  #open(): Promise<{ readonly store: SharedStore; readonly replica: Replica }> {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'this replica is followed no more');
    const { address, passwordFile, folder } = this.#kept;
    this.#opened ??= SharedStore.open(address, { passwordFile, isReader: true }).then(
      (store) => ({ store, replica: new Replica(folder, address, store) }),
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
