import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillSearchError } from '../../core/index.js';
import type { IndexingWarning } from '../../indexing/index.js';
import { indexKeywords, indexWhenDue } from '../../indexing/index.js';
import { FileLock, filesBeside, putInPlace, writeNote } from '../../store/index.js';
import type { PostgresAddress } from '../postgres/postgres-address.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import { CheckpointFiles } from './checkpoint-files.js';
import { claimOrTakeOver } from './claim-or-take-over.js';
import { copyState, noteOf } from './copy-state.js';
import { lockCopy, lockIndexing } from './lock-copy.js';
import { NewestState } from './newest-state.js';
import { sharedOrigin } from './shared-origin.js';
import type { SharedState } from './shared-state.js';
import type { SharedStore } from './shared-store.js';
import { storeFiles } from './store-files.js';

/** How {@link SharedCopy.bringUp} is followed and stopped. */
export interface BringUpOptions extends IndexCopyOptions {
  /**
   * Which derived files to write where they are due; `words` only the one that a search should not be without.
   *
   * @default 'all'
   */
  readonly index?: 'all' | 'words' | 'nothing';
  /** Whether to make it of nothing that is here: some of that is damaged. @default false */
  readonly anew?: boolean;
  /** Called where the database is a standby that has not got to the state of the copy yet: that stays as it is. */
  readonly onBehind?: (() => void) | undefined;
}

/** How indexing a copy is followed and stopped. */
export interface IndexCopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** How far it is. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** A derived file that could not be written. */
  readonly onWarning?: ((warning: IndexingWarning) => void) | undefined;
  /** Whether to wait for another process that is indexing; else it is left to that one. @default true */
  readonly inTurn?: boolean;
}

/**
 * The copy of a shared catalogue on this machine: an ordinary catalogue in a folder, which is led from the state that
 * it is to the newest one. Several processes may share the folder. One of them changes it at a time, and one of them
 * writes its derived files, which takes longer.
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
   * Brings the copy to the newest state that the database has. What is here answers until then. Whoever finds another
   * process doing that waits for it.
   *
   * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds another catalogue; `DATABASE_NOT_FOUND` if
   *   nothing was ever published; `DATABASE_NOT_WRITABLE`; `SERVICE_UNAVAILABLE` and `DATABASE_NOT_READABLE` as the
   *   store says them
   * @throws the signal's reason when aborted
   */
  async bringUp(options: BringUpOptions = {}): Promise<SharedState> {
    const { signal, index = 'all', anew = false, onBehind } = options;
    const { state, isBehind } = await this.#alone(signal, () =>
      new NewestState(this.#files, this.#store).reach(anew, signal),
    );
    if (isBehind) onBehind?.();
    if (index !== 'nothing') await this.#indexFirstWords(options);
    if (index === 'all') await this.index(options);
    return state;
  }

  /**
   * Writes the derived files where they are due. Others may bring the copy further meanwhile: then the files are those
   * of a former state, and searches put what has changed beside them.
   *
   * @throws the signal's reason when aborted
   */
  async index(options: IndexCopyOptions = {}): Promise<void> {
    const { signal, onProgress = () => {}, onWarning = () => {} } = options;
    await this.#indexing(options, () => indexWhenDue(this.database, { signal, onProgress, onWarning }));
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
   * Gives the files of the copy to the store, for those who have nothing yet. Does nothing where there is no copy, and
   * where another process is doing that or is indexing: then there are other files soon. Others may bring the copy
   * further meanwhile.
   *
   * @throws {SkillSearchError} as {@link bringUp}
   * @throws the signal's reason when aborted
   */
  async writeCheckpoint(signal?: AbortSignal): Promise<void> {
    const files = await this.#writing(signal, async () => CheckpointFiles.claim(join(this.folder, 'checkpoint')));
    if (files === undefined) return;
    try {
      const state = await this.#alone(signal, async () => {
        const { state } = this;
        return state !== undefined && (await files.take(this.database)) ? state : undefined;
      });
      if (state !== undefined) await storeFiles(files.database, state, this.#store, signal);
    } finally {
      files.remove();
    }
  }

  /** Without any index of words, the first searches of each process would take long. */
  async #indexFirstWords(options: IndexCopyOptions): Promise<void> {
    const { signal, onProgress = () => {} } = options;
    const isMissing = (): boolean => !existsSync(filesBeside(this.database).keyword);
    const work = (): Promise<void> =>
      indexKeywords(this.database, { signal, onProgress }).catch((error: unknown) => {
        // With the other files it is tried again, and told.
        if (signal?.aborted === true) throw error;
      });
    if (isMissing()) await this.#indexing(options, work, isMissing);
  }

  /** @param isNeeded whether to go on waiting for another process that is indexing */
  async #indexing(
    { signal, inTurn = true }: IndexCopyOptions,
    work: () => Promise<void>,
    isNeeded?: () => boolean,
  ): Promise<void> {
    const lock = await this.#writing(signal, async () =>
      inTurn ? lockIndexing(this.database, signal, isNeeded) : FileLock.take(filesBeside(this.database).indexingLock),
    );
    try {
      if (lock !== undefined) await this.#writing(signal, work);
    } finally {
      lock?.release();
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
    return this.#writing(signal, async () => {
      await claimOrTakeOver(this.#files, this.#store, signal);
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
