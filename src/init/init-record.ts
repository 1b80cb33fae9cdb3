import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillSearchError } from '../errors.js';
import { makeFolder } from '../make-folder.js';
import { clearUnfinished } from '../unfinished-files.js';
import type { AgentEntry } from './agent-hosts.js';
import { readConfigFile, writeConfigFile } from './config-file.js';
import type { ConfigFormat, JsonValue, Place } from './config-format.js';
import { missingFolders, removeEmptyFolders } from './folders.js';
import type { TextEdit } from './text-edit.js';

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
}

/** A change between two texts, which are named by their digests. */
interface ExactChange {
  readonly edits: readonly TextEdit[];
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
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

/**
 * What `init` has written on this machine, so that it can be undone. An entry stands in the record before it is written
 * to its file, so a killed run can be undone, too: an entry that is not in its file needs nothing.
 */
export class InitRecord {
  readonly path: string;
  #contents: Contents;

  /** @throws {Error} if there is a file that is no record */
  constructor(path: string) {
    this.path = path;
    this.#contents = read(path);
  }

  get entries(): readonly WrittenEntry[] {
    return this.#contents.entries;
  }

  get catalogues(): readonly string[] {
    return this.#contents.catalogues;
  }

  find({ agent, part, file }: Pick<WrittenEntry, 'agent' | 'part' | 'file'>): WrittenEntry | undefined {
    return this.entries.find((one) => one.agent === agent && one.part === part && one.file === file);
  }

  /** Adds entries, each in the place of a former one for the same part of the same file. */
  add(entries: readonly WrittenEntry[]): void {
    const others = this.entries.filter((one) => !entries.some((entry) => isSame(entry, one)));
    this.#save({ ...this.#contents, entries: [...others, ...entries] });
  }

  drop(entries: readonly WrittenEntry[]): void {
    this.#save({
      ...this.#contents,
      entries: this.entries.filter((one) => !entries.some((entry) => isSame(entry, one))),
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
      removeEmptyFolders(contents.madeFolders);
      this.#contents = NOTHING;
      return;
    }
    const folder = dirname(this.path);
    this.#contents = { ...contents, madeFolders: [...new Set([...missingFolders(folder), ...contents.madeFolders])] };
    makeFolder(folder, { mode: 0o700 });
    try {
      writeConfigFile(readConfigFile(this.path), `${JSON.stringify(this.#contents, undefined, 2)}\n`);
    } catch (cause) {
      const message = `the record of what is written, ${this.path}, cannot be written: ${(cause as Error).message}`;
      throw new SkillSearchError('FILE_NOT_WRITABLE', message, { path: this.path, cause });
    }
  }
}

function isSame(one: WrittenEntry, other: WrittenEntry): boolean {
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
