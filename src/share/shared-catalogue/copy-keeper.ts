import { SkillSearchError } from '../../core/index.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { copyState, isSameState } from './copy-state.js';
import type { LookedCopy } from './known-copy.js';
import { CHUNKS_AT_ONCE } from './newest-state.js';
import { type BringUpOptions, type IndexCopyOptions, SharedCopy } from './shared-copy.js';
import { isAhead } from './shared-state.js';
import { SharedStore } from './shared-store.js';

/** Where a shared catalogue is, and its copy. */
export interface KeptCopy {
  readonly address: PostgresAddress;
  readonly passwordFile: string | undefined;
  readonly folder: string;
}

/**
 * Looks whether a copy is the newest state, and brings it there if it is not. Connects when it first looks, so that
 * whoever has a copy needs no database.
 */
export class CopyKeeper {
  readonly #kept: KeptCopy;
  #opened: Promise<{ readonly store: SharedStore; readonly copy: SharedCopy }> | undefined;
  #isClosed = false;
  /** Whether the derived files were looked at: whoever wrote the copy may have been killed before it wrote them. */
  #hasIndexed = false;

  constructor(kept: KeptCopy) {
    this.#kept = kept;
  }

  /**
   * Looks, and does what is to be done. One call at a time. With `anew` nothing that is here is believed.
   *
   * @throws {SkillSearchError} as opening the store and `SharedCopy.bringUp` do
   * @throws the signal's reason when aborted
   */
  async look(options: Pick<BringUpOptions, 'signal' | 'index' | 'anew'>): Promise<LookedCopy> {
    const { store, copy } = await this.#open();
    options.signal?.throwIfAborted();
    if (this.#hasIndexed && options.anew !== true) {
      const head = await store.head();
      // Somebody may have deleted the copy, or another process may have brought it to another state.
      const here = copyState(copy.database);
      if (here !== undefined && isSameState(here, head)) {
        const { publishedAt } = head;
        return { state: publishedAt === undefined ? here : { ...here, publishedAt }, isNewest: true };
      }
      if (here !== undefined && isAhead(here, head)) return { state: here, isNewest: false };
    }
    let isNewest = true;
    const onBehind = (): void => {
      isNewest = false;
    };
    const state = await copy.bringUp({ ...options, onBehind });
    this.#hasIndexed = true;
    return { state, isNewest };
  }

  /**
   * Writes the derived files of the copy where they are due. Others, and this, may look meanwhile.
   *
   * @throws {SkillSearchError} as `SharedCopy.index` does
   */
  async index(options: IndexCopyOptions): Promise<void> {
    const { copy } = await this.#open();
    await copy.index(options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.store.close();
  }

  #open(): Promise<{ readonly store: SharedStore; readonly copy: SharedCopy }> {
    if (this.#isClosed) throw new SkillSearchError('SERVICE_UNAVAILABLE', 'this copy is followed no more');
    const { address, passwordFile, folder } = this.#kept;
    const options = { connections: CHUNKS_AT_ONCE, passwordFile, isReader: true };
    this.#opened ??= SharedStore.open(address, options).then(
      (store) => ({ store, copy: new SharedCopy(folder, address, store) }),
      (error: unknown) => {
        // The next look tries again.
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }
}
