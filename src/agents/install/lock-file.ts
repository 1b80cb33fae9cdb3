import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import {
  ConfigFault,
  type ConfigFile,
  isInside,
  isObject,
  lookAt,
  makeFolder,
  readConfigFile,
  repositoryOf,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
import type { Skill } from '../../skill.js';
import { setJsonMember } from './set-json-member.js';

/** Largest lock file that is read, in bytes. A project brings its own. */
const MAX_LOCK_FILE_BYTES: number = 16 * 1024 * 1024;

/** Entries of a lock file. Each may be looked for in the catalogue, and in the folders of every agent. */
export const MAX_LOCK_ENTRIES = 10_000;

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

/** The field of an entry that names the skill's id in the catalogue. Other installers leave it as it is. */
const ID_FIELD = 'skillId';

/**
 * The entry of an installed skill, as `npx skills` writes it, with the skill's id beside. Says where the skill came
 * from first: the repository, or the folder of this machine.
 *
 * @param former what the lock file says of this name so far
 * @param now ISO 8601
 */
export function lockEntry(
  form: LockForm,
  skill: Skill,
  files: readonly HashedFile[],
  former: LockEntry | undefined,
  now: string,
): LockEntry {
  const { sourceUrl, ...origin } = originOf(skill);
  const id = { [ID_FIELD]: skill.id };
  if (form === 'project') {
    const url = origin.sourceType === 'github' || origin.sourceType === 'local' ? {} : { sourceUrl };
    return { ...origin, ...url, computedHash: hashOfFiles(files), ...id };
  }
  const skillFolderHash = origin.sourceType === 'github' ? gitTreeHash(files) : hashOfFiles(files);
  const installedAt = typeof former?.['installedAt'] === 'string' ? former['installedAt'] : now;
  return { ...origin, sourceUrl, skillFolderHash, ...id, installedAt, updatedAt: now };
}

/** Whether two entries name the same skill of the same source. */
export function isSameOrigin(entry: LockEntry, skill: Skill): boolean {
  const { source, skillPath } = originOf(skill);
  if (typeof entry[ID_FIELD] === 'string') return entry[ID_FIELD] === skill.id;
  return entry['source'] === source && (entry['skillPath'] ?? skillPath) === skillPath;
}

/** Whether files are those that an installer noted. */
export function isAsLocked(files: readonly HashedFile[], entry: LockEntry): boolean {
  const noted = notedHash(entry);
  return noted === hashOfFiles(files) || noted === gitTreeHash(files);
}

/** Undefined if an entry has none: `npx skills` notes none for the user of what it gets from well-known paths. */
export function notedHash(entry: LockEntry): string | undefined {
  const hash = entry['computedHash'] ?? entry['skillFolderHash'];
  return typeof hash === 'string' && hash !== '' ? hash : undefined;
}

interface Origin {
  readonly source: string;
  readonly sourceType: 'github' | 'gitlab' | 'git' | 'local';
  readonly sourceUrl: string;
  readonly ref?: string;
  readonly skillPath?: string;
}

function originOf({ id, codehostUrl, localPath }: Skill): Origin {
  const repository = repositoryOf(codehostUrl);
  if (repository === undefined) {
    const source = localPath ?? id;
    return { source, sourceType: 'local', sourceUrl: source };
  }
  const { github, cloneUrl, ref, folder } = repository;
  const place = {
    ...(ref === undefined ? {} : { ref }),
    ...(folder === undefined ? {} : { skillPath: `${folder}/SKILL.md` }),
  };
  if (github !== undefined) return { source: github, sourceType: 'github', sourceUrl: cloneUrl, ...place };
  const sourceType = cloneUrl.startsWith('https://gitlab.com/') ? 'gitlab' : 'git';
  return { source: cloneUrl, sourceType, sourceUrl: cloneUrl, ...place };
}

/** A file as hashes of folders see it. */
export interface HashedFile {
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Folders that `npx skills` leaves out of its hash. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * `computedHash` of `skills-lock.json`, as `npx skills` computes it: the SHA-256 of path and bytes of each file, in the
 * order of `localeCompare`. It does not see which files are executable.
 */
export function hashOfFiles(files: readonly HashedFile[]): string {
  const hash = createHash('sha256');
  const kept = files.filter(
    ({ path }) =>
      !path
        .split('/')
        .slice(0, -1)
        .some((folder) => LEFT_OUT.has(folder)),
  );
  for (const { path, bytes } of kept.toSorted((a, b) => a.path.localeCompare(b.path))) {
    hash.update(path).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * The hash that git gives a folder with these files, 40 hexadecimal digits. Of a skill from GitHub it is the
 * `skillFolderHash` of the user's lock file, which `npx skills` compares with what GitHub says.
 */
export function gitTreeHash(files: readonly HashedFile[]): string {
  return treeOf(files.map(({ path, ...file }) => ({ ...file, segments: path.split('/') }))).toString('hex');
}

interface TreeFile {
  readonly segments: readonly string[];
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

function treeOf(files: readonly TreeFile[]): Buffer {
  const folders = new Map<string, TreeFile[]>();
  const entries: { readonly name: Buffer; readonly order: Buffer; readonly mode: string; readonly hash: Buffer }[] = [];
  for (const { segments, ...file } of files) {
    const [first = '', ...rest] = segments;
    if (rest.length > 0) {
      const inside = folders.get(first) ?? [];
      inside.push({ ...file, segments: rest });
      folders.set(first, inside);
    } else {
      const name = Buffer.from(first);
      const mode = file.executable ? '100755' : '100644';
      entries.push({ name, order: name, mode, hash: objectHash('blob', file.bytes) });
    }
  }
  for (const [name, inside] of folders) {
    // Git orders a folder as if its name ended with a slash.
    const order = Buffer.from(`${name}/`);
    entries.push({ name: Buffer.from(name), order, mode: '40000', hash: treeOf(inside) });
  }
  entries.sort((a, b) => Buffer.compare(a.order, b.order));
  const parts = entries.flatMap(({ name, mode, hash }) => [Buffer.from(`${mode} `), name, Buffer.of(0), hash]);
  return objectHash('tree', Buffer.concat(parts));
}

function objectHash(kind: 'blob' | 'tree', bytes: Uint8Array): Buffer {
  return createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest();
}
