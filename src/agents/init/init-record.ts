import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  clearUnfinished,
  makeFolder,
  missingFolders,
  orUndefined,
  readConfigFile,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
import { FileLock } from '../../store/index.js';
import type { AgentEntry } from './agent-hosts.js';
import type { ConfigFormat, JsonValue, Place } from './config-formats.js';

/** What `init` wrote, or was about to write, into a file of an agent. */
export interface WrittenFile {
  readonly agent: string;
  readonly file: string;
  readonly format: ConfigFormat['name'];
  readonly entries: readonly WrittenEntry[];
  /** The text without the entries, which undoing goes back to; null if there was no file. */
  readonly former: string | null;
  /** SHA-256 of the texts that `init` made of the former one. Any other was written by somebody else since. */
  readonly digests: readonly string[];
  /** Folders that were made for the file, the outermost first. */
  readonly madeFolders: readonly string[];
  /** Copies of the file as it was before. */
  readonly backups: readonly string[];
}

export interface WrittenEntry {
  readonly part: AgentEntry['part'];
  readonly place: Place;
  /** What was written there, the newest last. A run that was killed may have left the one before. */
  readonly values: readonly JsonValue[];
}

interface Contents {
  readonly version: 1;
  readonly files: readonly WrittenFile[];
  /** Catalogues that were built because there was none. */
  readonly catalogues: readonly string[];
  /** Folders that were made for this file and for catalogues. */
  readonly madeFolders: readonly string[];
}

const NOTHING: Contents = { version: 1, files: [], catalogues: [], madeFolders: [] };

/** Milliseconds that a run waits for another one. */
const LONGEST_WAIT = 10_000;

/**
 * What `init` has written on this machine, so that it can be undone. A file stands in the record before it is
 * written, so a killed run can be undone, too: an entry that is not in its file needs nothing. The former texts may
 * hold secrets, so the record is for its user alone. One run writes it at a time: {@link whileLocked}.
 */
export class InitRecord {
  readonly path: string;
  #contents: Contents;

  /** @throws {Error} if there is a file that is no record */
  constructor(path: string) {
    this.path = path;
    this.#contents = read(path);
  }

  /**
   * Keeps other runs from writing meanwhile.
   *
   * @param work told whether another run has changed the record since it was read; from now on it is read anew
   * @throws {SkillSearchError} `LOAD_IN_PROGRESS` if another run does not end within 10 seconds, `FILE_NOT_WRITABLE`
   */
  async whileLocked<Result>(work: (isChanged: boolean) => Promise<Result>): Promise<Result> {
    const made: string[] = [];
    const until = performance.now() + LONGEST_WAIT;
    const lock = await FileLock.takeInTurn(`${this.path}-lock`, undefined, () => {
      // Another run that ends may take the folder away.
      made.push(...makeFolder(dirname(this.path), { mode: 0o700 }));
      return performance.now() < until;
    }).catch((cause: unknown) => {
      throw cause instanceof SkillSearchError ? cause : this.#notWritable(cause);
    });
    if (lock === undefined) {
      const message = 'another run of `init` is writing: run this again when it has ended';
      throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: this.path });
    }
    try {
      const before = this.#contents;
      const now = read(this.path);
      this.#contents = { ...now, madeFolders: [...new Set([...made, ...now.madeFolders])] };
      // Another run may have written the record into folders that this one made, and this one may have nothing to write.
      if (made.length > 0 && now.files.length + now.catalogues.length > 0) this.#save(this.#contents);
      return await work(!isDeepStrictEqual([now.files, now.catalogues], [before.files, before.catalogues]));
    } finally {
      const { files, catalogues, madeFolders } = this.#contents;
      lock.release();
      if (files.length === 0 && catalogues.length === 0) removeEmptyFolders(madeFolders);
    }
  }

  #notWritable(cause: unknown): SkillSearchError {
    const message = `the record of what is written, ${this.path}, cannot be written: ${(cause as Error).message}`;
    return new SkillSearchError('FILE_NOT_WRITABLE', message, { path: this.path, cause });
  }

  get files(): readonly WrittenFile[] {
    return this.#contents.files;
  }

  get catalogues(): readonly string[] {
    return this.#contents.catalogues;
  }

  get(agent: string, file: string): WrittenFile | undefined {
    return this.files.find((one) => one.agent === agent && one.file === file);
  }

  /** Notes a file, in the place of what was noted of it. */
  put(written: WrittenFile): void {
    const { agent, file } = written;
    const former = this.get(agent, file);
    const files =
      former === undefined ? [...this.files, written] : this.files.with(this.files.indexOf(former), written);
    this.#save({ ...this.#contents, files });
  }

  drop({ agent, file }: WrittenFile): void {
    const files = this.files.filter((one) => one.agent !== agent || one.file !== file);
    this.#save({ ...this.#contents, files });
  }

  addCatalogue(database: string): void {
    const madeFolders = [...this.#contents.madeFolders, ...missingFolders(dirname(database))];
    const catalogues = [...this.catalogues.filter((one) => one !== database), database];
    this.#save({ ...this.#contents, catalogues, madeFolders });
  }

  dropCatalogue(database: string): void {
    this.#save({ ...this.#contents, catalogues: this.catalogues.filter((one) => one !== database) });
  }

  /** Writes the record, or deletes it when nothing is left to undo. */
  #save(contents: Contents): void {
    const { files, catalogues } = contents;
    if (files.length === 0 && catalogues.length === 0) {
      rmSync(this.path, { force: true });
      clearUnfinished(this.path);
    } else {
      try {
        writeConfigFile(readConfigFile(this.path), `${JSON.stringify(contents, undefined, 2)}\n`);
      } catch (cause) {
        throw this.#notWritable(cause);
      }
    }
    this.#contents = contents;
  }
}

function read(path: string): Contents {
  try {
    const contents = JSON.parse(readFileSync(path, 'utf8')) as Contents | null;
    if (contents?.version === 1 && Array.isArray(contents.files) && Array.isArray(contents.catalogues)) return contents;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return NOTHING;
    if (code !== undefined)
      throw new Error(`the record of what was written, ${path}, cannot be read: ${message}`, { cause });
  }
  throw new Error(
    `${path} is not a record of this version's \`init\`: move it away, and remove by hand what earlier runs have written`,
  );
}

/** Removes folders that are empty, the innermost first. Others stay, and so do those around them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  // One may have something in it, or be gone.
  for (const folder of folders.toReversed()) orUndefined(() => rmdirSync(folder));
}
