import { constants } from 'node:fs';
import { dirname } from 'node:path';
import {
  ConfigFault,
  type ConfigFile,
  isInside,
  isObject,
  lookAt,
  MAX_LOCK_ENTRIES,
  MAX_LOCK_FILE_BYTES,
  makeFolder,
  readConfigFile,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
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
    const real = orRefused(path, () => lookAt(path))?.target ?? path;
    if (within !== undefined && real !== path && !isInside(real, within)) {
      throw refused(path, 'it is a link that leads out of the project');
    }
    return new LockFile(real, form, fileAt(real).text);
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
    const stored = fileAt(this.path);
    let text = stored.text ?? EMPTY[this.#form];
    readEntries(text, this.path, this.#form);
    for (const [name, entry] of this.#changes) text = setJsonMember(text, 'skills', name, entry);
    // What could not be read again is not written.
    readEntries(text, this.path, this.#form);
    return writeConfigFile(stored, text, 0o666);
  }
}

function fileAt(path: string): ConfigFile {
  return orRefused(path, () => readConfigFile(path, MAX_LOCK_FILE_BYTES, constants.R_OK));
}

/** @throws {SkillSearchError} `INSTALL_REFUSED` */
function orRefused<Result>(path: string, look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    throw error instanceof ConfigFault ? refused(path, error.message) : error;
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
