import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { SkillSearchError } from '../errors.js';
import { indexKeywords } from '../indexing/index-keywords.js';
import type { IndexingWarning } from '../indexing/index-or-warn.js';
import { indexWhenDue } from '../indexing/index-when-due.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import type { FileLock } from '../store/file-lock.js';
import { writeNote } from '../store/shared-note.js';
import { LoadLock } from '../store/write/load-lock.js';
import { putInPlace } from '../store/write/put-in-place.js';
import { copyState, noteOf } from './copy-state.js';
import { lockCopy } from './lock-copy.js';
import { NewestState } from './newest-state.js';
import { sharedOrigin } from './shared-origin.js';
import type { SharedState } from './shared-state.js';
import type { SharedStore } from './shared-store.js';
import { storeFiles } from './store-files.js';

/** How {@link SharedCopy.bringUp} is followed and stopped. */
export interface BringUpOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether to write the derived files where they are due. @default true */
  readonly index?: boolean;
  /** Whether to make it of nothing that is here: some of that is damaged. @default false */
  readonly anew?: boolean;
  /** How far indexing is. */
  readonly onProgress?: (done: number, total: number) => void;
  /** A derived file that could not be written. */
  readonly onWarning?: (warning: IndexingWarning) => void;
  /** Called once the copy can be searched by words; vectors may still be indexed. */
  readonly onUsable?: () => void;
}

/**
 * The copy of a shared catalogue on this machine: an ordinary catalogue in a folder, which is led from the state that it
 * is to the newest one. Several processes may share the folder; one of them works on it at a time.
 */
export class SharedCopy {
  /** Path of the catalogue. */
  readonly database: string;
  /** Where it lies. */
  readonly folder: string;
  readonly #store: SharedStore;
  readonly #files: LocalCopy;

  constructor(folder: string, address: PostgresAddress, store: SharedStore) {
    this.folder = folder;
    this.#store = store;
    this.#files = new LocalCopy(folder, sharedOrigin(address));
    this.database = this.#files.database;
  }

  /** Which state is here; undefined if none is, or it cannot be read. */
  get state(): SharedState | undefined {
    return copyState(this.database);
  }

  /**
   * Brings the copy to the newest state. What is here answers until then. Whoever finds another process doing that
   * waits for it.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds another catalogue; `DATABASE_NOT_FOUND` if
   *   nothing was ever published; `DATABASE_NOT_WRITABLE`; `SERVICE_UNAVAILABLE` and `DATABASE_NOT_READABLE` as the
   *   store says them
   * @throws the signal's reason when aborted
   */
  async bringUp(options: BringUpOptions = {}): Promise<SharedState> {
    const { signal, index = true, anew = false } = options;
    return this.#alone(signal, async () => {
      const { state, isNew } = await new NewestState(this.#files, this.#store).reach(anew, signal);
      if (index) await this.#index(isNew, options);
      return state;
    });
  }

  /**
   * Makes the folder if there is none, before anything is written there.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if it holds another catalogue; `DATABASE_NOT_WRITABLE`
   */
  async claim(signal?: AbortSignal): Promise<void> {
    await this.#alone(signal, async () => {});
  }

  /**
   * Does work while nobody changes the copy. Whoever wants to bring it further waits, so it must be short.
   *
   * @param work gets the state that the copy is. What it throws is thrown on as it is
   * @returns undefined if there is no copy
   * @throws {SkillSearchError} as {@link bringUp}
   */
  async hold<T>(work: (state: SharedState) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    const lock = await this.#lock(signal);
    try {
      const { state } = this;
      return state === undefined ? undefined : await work(state);
    } finally {
      lock.release();
    }
  }

  /**
   * Copies the catalogue, without its derived files.
   *
   * @param path where there is no file yet
   * @returns which state that is; undefined if there is no copy
   * @throws {SkillSearchError} as {@link bringUp}
   */
  async copyTo(path: string, signal?: AbortSignal): Promise<SharedState | undefined> {
    return this.#alone(signal, async () => {
      const { state } = this;
      if (state === undefined) return undefined;
      // Reading it has played back what a killed change left, so the file alone is whole.
      await copyFile(this.database, path, constants.COPYFILE_FICLONE);
      return state;
    });
  }

  /**
   * Puts a catalogue that is a published state already in the place of the copy, unless that is as new: then the copy
   * stays. Derived files stay, too: they are those of the state that it was made from.
   *
   * @param scratch path of the catalogue, which was made from the copy, on the same file system. It is moved away
   * @throws {SkillSearchError} as {@link bringUp}
   */
  async adopt(scratch: string, state: SharedState, signal?: AbortSignal): Promise<void> {
    await this.#alone(signal, async () => {
      const here = this.state;
      if (here?.identity === state.identity && here.version >= state.version) return;
      writeNote(scratch, noteOf(state));
      putInPlace(this.database, scratch);
    });
  }

  /**
   * Gives the files of the copy to the store, for those who have nothing yet. Does nothing where there is no copy.
   *
   * @throws {SkillSearchError} as {@link bringUp}
   * @throws the signal's reason when aborted
   */
  async writeCheckpoint(signal?: AbortSignal): Promise<void> {
    await this.#alone(signal, async () => {
      const { state } = this;
      if (state !== undefined) await storeFiles(this.database, state, this.#store, signal);
    });
  }

  async #index(isNew: boolean, { signal, onUsable, ...told }: BringUpOptions): Promise<void> {
    const { onProgress = () => {}, onWarning = () => {} } = told;
    const lock = new LoadLock(this.database);
    try {
      if (isNew) {
        await indexKeywords(this.database, { signal, onProgress }).catch((error: unknown) => {
          // Below it is tried again, and told.
          if (signal?.aborted === true) throw error;
        });
      }
      onUsable?.();
      await indexWhenDue(this.database, { signal, onProgress, onWarning });
    } finally {
      lock.release();
    }
  }

  async #alone<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const lock = await this.#lock(signal);
    try {
      return await this.#writing(signal, work);
    } finally {
      lock.release();
    }
  }

  #lock(signal: AbortSignal | undefined): Promise<FileLock> {
    return this.#writing(signal, () => {
      this.#files.claim();
      return lockCopy(this.database, signal);
    });
  }

  /** Errors of the file system become one of ours. */
  async #writing<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SkillSearchError || signal?.aborted === true) throw error;
      const message = `cannot write the local copy in ${this.folder}: ${(error as Error).message}`;
      throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: this.folder, cause: error });
    }
  }
}
