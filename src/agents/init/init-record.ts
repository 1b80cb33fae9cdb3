import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  clearUnfinished,
  makeFolder,
  missingFolders,
  readConfigFile,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
import { FileLock } from '../../store/index.js';
import type { AgentEntry } from './agent-hosts.js';
import type { ConfigFormat, JsonValue, Place } from './config-format.js';
import { CONFIG_FORMATS } from './config-formats.js';
import type { ExactChange } from './exact-change.js';
import { removeEmptyFolders } from './folders.js';

/** An entry that `init` wrote, or was about to write. */
export interface WrittenEntry {
  readonly agent: string;
  readonly part: AgentEntry['part'];
  readonly file: string;
  readonly format: ConfigFormat['name'];
  readonly place: Place;
  readonly value: JsonValue;
  /** How many keys of the place were there before. */
  readonly found: number;
  /** How to go back exactly, for as long as nobody else has written to the file. */
  readonly exact?: ExactChange;
  /** Whether there was no file before. */
  readonly madeFile: boolean;
  /** Folders that were made for the file, the outermost first. */
  readonly madeFolders: readonly string[];
  /** Copies of the file as it was before. */
  readonly backups: readonly string[];
  /** What this one replaces. A run that was killed may have left that in the file. */
  readonly former?: Omit<WrittenEntry, 'former'>;
}

interface Contents {
  readonly version: 1;
  readonly entries: readonly WrittenEntry[];
  /** Catalogues that were built because there was none. */
  readonly catalogues: readonly string[];
  /** Folders that were made for this file and for catalogues. */
  readonly madeFolders: readonly string[];
}

const NOTHING: Contents = { version: 1, entries: [], catalogues: [], madeFolders: [] };

/** Milliseconds that a run waits for another one. */
const LONGEST_WAIT = 10_000;

/**
 * What `init` has written on this machine, so that it can be undone. An entry stands in the record before it is written
 * to its file, so a killed run can be undone, too: an entry that is not in its file needs nothing. It is written by one
 * run at a time: {@link whileLocked}.
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
      if (made.length > 0 && now.entries.length + now.catalogues.length > 0) this.#save(this.#contents);
      return await work(!isDeepStrictEqual([now.entries, now.catalogues], [before.entries, before.catalogues]));
    } finally {
      const { entries, catalogues, madeFolders } = this.#contents;
      lock.release();
      if (entries.length === 0 && catalogues.length === 0) removeEmptyFolders(madeFolders);
    }
  }

  #notWritable(cause: unknown): SkillSearchError {
    const message = `the record of what is written, ${this.path}, cannot be written: ${(cause as Error).message}`;
    return new SkillSearchError('FILE_NOT_WRITABLE', message, { path: this.path, cause });
  }

  get entries(): readonly WrittenEntry[] {
    return this.#contents.entries;
  }

  get catalogues(): readonly string[] {
    return this.#contents.catalogues;
  }

  /** The entries of an agent in a file, in the order in which they were written. */
  inFile(agent: string, file: string): readonly WrittenEntry[] {
    return this.entries.filter((one) => one.agent === agent && one.file === file);
  }

  /** Adds entries, each in the place of a former one for the same part of the same file. */
  add(entries: readonly WrittenEntry[]): void {
    const others = this.entries.filter((one) => !entries.some((entry) => isSameEntry(entry, one)));
    this.#save({ ...this.#contents, entries: [...others, ...entries] });
  }

  drop(entries: readonly WrittenEntry[]): void {
    this.#save({
      ...this.#contents,
      entries: this.entries.filter((one) => !entries.some((entry) => isSameEntry(entry, one))),
    });
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
    const { entries, catalogues } = contents;
    if (entries.length === 0 && catalogues.length === 0) {
      rmSync(this.path, { force: true });
      clearUnfinished(this.path);
      this.#contents = contents;
      return;
    }
    try {
      writeConfigFile(readConfigFile(this.path), `${JSON.stringify(contents, undefined, 2)}\n`);
    } catch (cause) {
      throw this.#notWritable(cause);
    }
    this.#contents = contents;
  }
}

/** Entries of a file as they stand in its text: those before, if a run was killed before it wrote the new ones. */
export function asTheyStand(entries: readonly WrittenEntry[], text: string | undefined): readonly WrittenEntry[] {
  const isThere = ({ format, place, value }: Omit<WrittenEntry, 'former'>): boolean =>
    CONFIG_FORMATS[format].entries(text ?? '', place).some((one) => isDeepStrictEqual(one, value));
  const isOld = entries.some((entry) => entry.former !== undefined && !isThere(entry) && isThere(entry.former));
  return entries.map(({ former, ...entry }) =>
    isOld && former !== undefined ? { ...former, backups: entry.backups } : entry,
  );
}

type Named = Pick<WrittenEntry, 'agent' | 'part' | 'file'>;

/** Whether two entries are for the same part of the same file. */
export function isSameEntry(one: Named, other: Named): boolean {
  return one.agent === other.agent && one.part === other.part && one.file === other.file;
}

function read(path: string): Contents {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return NOTHING;
    throw new Error(`the record of what was written, ${path}, cannot be read: ${message}`, { cause });
  }
  const contents = parsed(text);
  if (contents?.version === 1 && Array.isArray(contents.entries) && Array.isArray(contents.catalogues)) return contents;
  throw new Error(
    `${path} is not a record of this version's \`init\`: move it away, and remove by hand what earlier runs have written`,
  );
}

function parsed(text: string): Contents | undefined {
  try {
    return JSON.parse(text) as Contents;
  } catch {
    return undefined;
  }
}
