import { readFileSync, statSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TextDecoder } from 'node:util';
import { SkillSearchError } from '../errors.js';
import { isInside } from '../is-inside.js';
import { isObject } from '../is-object.js';
import { MAX_LOCK_ENTRIES, MAX_LOCK_FILE_BYTES } from '../limits.js';
import { makeFolder } from '../make-folder.js';
import { replaceFile } from '../replace-file.js';
import { setJsonMember } from './set-json-member.js';

/**
 * The two forms of lock files that installers share: `project` is `skills-lock.json` of version 1, `user` is
 * `~/.agents/.skill-lock.json` of version 3.
 */
export type LockForm = 'project' | 'user';

/** An entry as it was read: whatever other installers write. */
export type LockEntry = Readonly<Record<string, unknown>>;

const VERSIONS: Readonly<Record<LockForm, number>> = { project: 1, user: 3 };

/** A lock file without entries, as `npx skills` writes it. */
const EMPTY: Readonly<Record<LockForm, string>> = {
  project: '{\n  "version": 1,\n  "skills": {}\n}\n',
  user: '{\n  "version": 3,\n  "skills": {},\n  "dismissed": {}\n}',
};

/** How often a file is written anew that others write to. */
const MOST_TRIES = 20;

/** What installers say they installed. Entries of others, and their order, stay byte for byte. */
export class LockFile {
  readonly path: string;
  readonly entries: ReadonlyMap<string, LockEntry>;
  readonly #form: LockForm;
  readonly #changes = new Map<string, LockEntry>();

  private constructor(path: string, form: LockForm, stored: string | undefined) {
    this.path = path;
    this.#form = form;
    this.entries = readEntries(stored ?? EMPTY[form], path, form);
  }

  /**
   * @param within the file must not lie outside of this folder by a link; a real path
   * @throws {SkillSearchError} `INSTALL_REFUSED` if it is there and cannot be read: whoever writes it anew would lose
   *   what it says
   */
  static async read(path: string, form: LockForm, within?: string): Promise<LockFile> {
    const real = await realPathOf(path);
    if (within !== undefined && real !== path && !isInside(real, within)) {
      throw refused(path, 'it is a link that leads out of the project');
    }
    return new LockFile(real, form, textOf(real));
  }

  set(name: string, entry: LockEntry): void {
    this.#changes.set(name, entry);
  }

  /**
   * Writes the entries that were set into the file as it is by now: other installers may have written to it, too.
   *
   * @throws {SkillSearchError} `INSTALL_REFUSED` if it cannot be read any more, would have too many entries, or is
   *   written to all the time
   */
  async write(): Promise<void> {
    if (this.#changes.size === 0) return;
    makeFolder(dirname(this.path), { code: 'INSTALL_REFUSED' });
    for (let tries = 0; tries < MOST_TRIES; tries++) if (this.#tryToWrite()) return;
    throw refused(this.path, 'other programs change it all the time');
  }

  /** @returns whether it was written: not if somebody wrote to it meanwhile */
  #tryToWrite(): boolean {
    const stored = textOf(this.path);
    let text = stored ?? EMPTY[this.#form];
    readEntries(text, this.path, this.#form);
    for (const [name, entry] of this.#changes) text = setJsonMember(text, 'skills', name, entry);
    // What could not be read again is not written.
    readEntries(text, this.path, this.#form);
    const isUnchanged = (): boolean => textOf(this.path) === stored;
    return replaceFile(this.path, text, { newMode: 0o666, isUnchanged });
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // A link to a file that is not there would be replaced by a file.
  const link = await lstat(path).catch(() => undefined);
  if (link !== undefined) throw refused(path, 'it is a link that leads nowhere');
  return path;
}

/** @returns undefined if there is no file */
function textOf(path: string): string | undefined {
  try {
    const found = statSync(path);
    // A pipe would be waited for, and a device has no end: a project may come with a link to one.
    if (!found.isFile()) throw refused(path, 'it is not a file');
    if (found.size > MAX_LOCK_FILE_BYTES) throw refused(path, `it has more than ${MAX_LOCK_FILE_BYTES} bytes`);
    // The rest of the file is written again byte for byte, so nothing in it may be read as something else.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof TypeError) throw refused(path, 'it is not in UTF-8');
    throw error;
  }
}

function readEntries(text: string, path: string, form: LockForm): ReadonlyMap<string, LockEntry> {
  if (text.startsWith('\ufeff')) throw refused(path, 'it begins with a byte order mark: save it without');
  let lock: unknown;
  try {
    lock = JSON.parse(text);
  } catch {
    throw refused(path, 'it is not JSON');
  }
  const { version, skills } = isObject(lock) ? lock : {};
  if (version !== VERSIONS[form]) {
    throw refused(
      path,
      `its version must be ${VERSIONS[form]}, got ${(JSON.stringify(version) ?? 'none').slice(0, 100)}`,
    );
  }
  if (!isObject(skills)) throw refused(path, 'it has no object "skills"');
  const entries = Object.entries(skills);
  if (entries.length > MAX_LOCK_ENTRIES) throw refused(path, `it has more than ${MAX_LOCK_ENTRIES} entries`);
  return new Map(entries.filter((pair): pair is [string, LockEntry] => isObject(pair[1])));
}

function refused(path: string, reason: string): SkillSearchError {
  return new SkillSearchError('INSTALL_REFUSED', `the lock file ${JSON.stringify(path)} cannot be used: ${reason}`, {
    path,
  });
}
