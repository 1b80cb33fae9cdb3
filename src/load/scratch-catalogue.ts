import {
  constants,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, SkillSearchError } from '../core/index.js';
import type { SharedCopy, SharedState } from '../share/index.js';
import { isSameState } from '../share/index.js';
import { FileLock, notWritable, sqliteFiles } from '../store/index.js';

/** A scratch that nobody has used for so many milliseconds is deleted: its load will hardly be run again. */
const KEPT_FOR = 7 * 86_400_000;

/**
 * The file that a load into a shared catalogue writes: a catalogue that begins as the local copy was. Its folder has
 *
 *     base.db     the local copy as it was when the load began
 *     base.json   the state that this is
 *     skills.db   the catalogue that the load writes, with its working copy and all else that a load has beside it
 *     lock        held by the load
 *
 * The folder is named after the load, so that loads of several sources run at once, and one that was killed is resumed
 * by the next of the same sources.
 */
export class ScratchCatalogue {
  /** Path of the catalogue that the load writes. */
  readonly database: string;
  readonly #folder: string;
  readonly #lock: FileLock;
  readonly #resumes: boolean;

  private constructor(folder: string, lock: FileLock, resumes: boolean) {
    this.#folder = folder;
    this.#lock = lock;
    this.#resumes = resumes;
    this.database = join(folder, 'skills.db');
  }

  /**
   * The scratch of a load.
   *
   * @param parent folder of all scratches, which is made
   * @param key of the load. Left out for a small change: nothing of it is resumed, and any number may run at once
   * @param shown what messages call the shared catalogue
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if a load with the same key is running, `DATABASE_NOT_WRITABLE`
   */
  static take(parent: string, key: string | undefined, shown: string): ScratchCatalogue {
    forgetOld(parent);
    if (key !== undefined) {
      const taken = takeFolder(join(parent, key));
      if (taken !== undefined) return new ScratchCatalogue(join(parent, key), taken, true);
      const message = `another load of the same sources into ${shown} is running on this machine`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: shown });
    }
    for (let number = 1; ; number++) {
      const folder = join(parent, `change-${number}`);
      const taken = takeFolder(folder);
      if (taken !== undefined) return new ScratchCatalogue(folder, taken, false);
    }
  }

  /** Path of the catalogue as it was before the load; undefined if there was none. */
  get base(): string | undefined {
    return existsSync(this.#base) ? this.#base : undefined;
  }

  /**
   * Makes the catalogue what the local copy is. What a killed load has left stays if it began with the same state.
   *
   * @param present state of the copy, or a former one: the copy may change at any time
   * @returns the state that the catalogue has
   * @throws the signal's reason when aborted
   * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `LOAD_IN_PROGRESS` if the copy is deleted meanwhile
   */
  async prepare(copy: SharedCopy, present: SharedState, signal?: AbortSignal): Promise<SharedState> {
    try {
      return await this.#prepare(copy, present, signal);
    } catch (error) {
      throw notWritable(this.database, error);
    }
  }

  async #prepare(copy: SharedCopy, present: SharedState, signal: AbortSignal | undefined): Promise<SharedState> {
    let state: SharedState = present;
    if (!this.#resumes || !isSameState(this.#readState(), present)) {
      this.#removeCatalogue();
      if (present.version > 0) state = await this.#copyBase(copy, signal);
      writeFileSync(this.#note, JSON.stringify(state));
    }
    if (this.base !== undefined && !existsSync(this.database)) await this.#startFromBase();
    return state;
  }

  /** Forgets what is in the folder, which is damaged. */
  discard(): void {
    removeContents(this.#folder);
  }

  /** Deletes the folder: nothing is left to resume. */
  remove(): void {
    removeLocked(this.#folder, this.#lock);
  }

  /** Leaves the folder to the next load of the same key; that of a small change is deleted. */
  release(): void {
    if (this.#resumes) this.#lock.release();
    else this.remove();
  }

  async #copyBase(copy: SharedCopy, signal: AbortSignal | undefined): Promise<SharedState> {
    const part = `${this.#base}-part`;
    rmSync(part, { force: true });
    const state = await copy.copyTo(part, signal);
    if (state === undefined) {
      const message = `${copy.database} was deleted or changed while a load began: load again`;
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: copy.database });
    }
    renameSync(part, this.#base);
    return state;
  }

  /** A load of whole sources replaces its file, so a second name is enough. A small change writes into it. */
  async #startFromBase(): Promise<void> {
    if (this.#resumes) {
      try {
        linkSync(this.#base, this.database);
        return;
      } catch {
        // Not every file system has names for one file twice.
      }
    }
    const part = `${this.database}-part`;
    await copyFile(this.#base, part, constants.COPYFILE_FICLONE);
    renameSync(part, this.database);
  }

  /** Vectors of its working copy, and what it has to report, stay: whoever reads them sees whether they are of use. */
  #removeCatalogue(): void {
    rmSync(this.#note, { force: true });
    for (const file of [...sqliteFiles(this.database), ...sqliteFiles(this.#base)]) rmSync(file, { force: true });
  }

  #readState(): SharedState | undefined {
    try {
      return JSON.parse(readFileSync(this.#note, 'utf8')) as SharedState;
    } catch {
      return undefined;
    }
  }

  get #base(): string {
    return join(this.#folder, 'base.db');
  }

  get #note(): string {
    return join(this.#folder, 'base.json');
  }
}

const LOCK = 'lock';

/** Times that a folder is made again if another load deletes it before it is locked. */
const MOST_TAKES = 10;

/** @returns undefined if somebody else has it */
function takeFolder(folder: string): FileLock | undefined {
  for (let takes = 1; ; takes++) {
    makeFolder(folder, { code: 'DATABASE_NOT_WRITABLE' });
    try {
      return FileLock.take(join(folder, LOCK));
    } catch (error) {
      if (takes === MOST_TAKES) throw notWritable(join(folder, 'skills.db'), error);
    }
  }
}

/** Deletes what loads have left that were killed long ago. */
function forgetOld(parent: string): void {
  if (!existsSync(parent)) return;
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const folder = join(parent, entry.name);
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined || Date.now() - changed < KEPT_FOR) continue;
    try {
      const lock = takeFolder(folder);
      if (lock !== undefined) removeLocked(folder, lock);
    } catch {
      // Another user's, perhaps: this load can do without the room.
    }
  }
}

function removeContents(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(LOCK)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The lock last: until then nobody else uses the folder. */
function removeLocked(folder: string, lock: FileLock): void {
  removeContents(folder);
  lock.release();
  try {
    rmdirSync(folder);
  } catch {
    // Another load has taken it meanwhile.
  }
}
