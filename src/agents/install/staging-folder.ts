import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  isAlive,
  isInside,
  MAX_CONTENT_BYTES,
  MAX_CONTENT_FILES,
  makeFolder,
  SkillSearchError,
} from '../../core/index.js';
import type { HashedFile } from './lock-file.js';

/** Before the number of the process that writes into it, and random letters. */
const PREFIX = '.skill-discovery-install-';
const NAME = new RegExp(`^${PREFIX.replace('.', '\\.')}(\\d+)-[0-9a-f]{12}$`);

/**
 * Where skills are written before they are put in their place, beside that place: all of them, then one rename each. A
 * process that dies leaves such a folder, and no skill that is half there; {@link clearLeftovers} takes it away.
 */
export class StagingFolder {
  readonly #base: string;
  readonly #path: string;
  /** What to do backwards, the last step first. */
  readonly #undo: (() => Promise<void>)[] = [];
  /** Whether a skill that was there before may still lie in here. */
  #isNeeded = false;

  private constructor(base: string, path: string) {
    this.#base = base;
    this.#path = path;
  }

  /** @param base the real path of the folder that skills are installed in */
  static async make(base: string): Promise<StagingFolder> {
    const path = join(base, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
    for (const part of ['new', 'replaced']) makeFolder(join(path, part), { code: 'INSTALL_REFUSED' });
    return new StagingFolder(base, path);
  }

  /** Writes a skill, to the disk itself. */
  async write(name: string, files: readonly HashedFile[]): Promise<void> {
    const root = join(this.#path, 'new', name);
    const folders = new Set([root]);
    for (const { path, bytes, executable } of files) {
      const target = join(root, ...path.split('/'));
      folders.add(dirname(target));
      makeFolder(dirname(target), { code: 'INSTALL_REFUSED' });
      // Fails where a file is there already: everything here is new.
      const file = await open(target, 'wx', executable ? 0o777 : 0o666);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    for (const folder of folders) await syncFolder(folder);
  }

  /** Puts a written skill in its place. */
  async place(name: string, replaces: boolean): Promise<void> {
    const target = join(this.#base, name);
    const [fresh, former] = [join(this.#path, 'new', name), join(this.#path, 'replaced', name)];
    if (replaces) {
      await rename(target, former);
      this.#undo.push(() => rename(former, target));
    }
    await rename(fresh, target);
    this.#undo.push(() => rename(target, fresh));
  }

  /** Takes everything back that was placed, as far as it can be: what cannot is put back by the next install. */
  async undo(): Promise<void> {
    for (const step of this.#undo.toReversed()) {
      await step().catch(() => {
        this.#isNeeded = true;
      });
    }
    this.#undo.length = 0;
  }

  async remove(): Promise<void> {
    await syncFolder(this.#base);
    if (this.#isNeeded) return;
    await rm(this.#path, { recursive: true, force: true });
  }
}

/**
 * Removes what installs left whose processes are no more, and puts back a skill that was taken away to be replaced.
 *
 * @param base the real path of the folder that skills are installed in
 */
export async function clearLeftovers(base: string): Promise<void> {
  const entries = await readdir(base, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const pid = NAME.exec(entry.name)?.[1];
    if (pid === undefined || !entry.isDirectory() || isAlive(Number(pid))) continue;
    const path = join(base, entry.name);
    for (const name of await foldersIn(join(path, 'replaced'))) {
      if (!names.has(name)) await rename(join(path, 'replaced', name), join(base, name));
    }
    await rm(path, { recursive: true, force: true });
  }
}

/** Names of the folders in a folder. A project may come with a link in its place: what is behind that is not ours. */
async function foldersIn(path: string): Promise<readonly string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return [];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Makes names in a folder last. Windows has no such thing. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Windows knows no executable files, so nothing there can differ by it. */
export const HAS_MODES: boolean = process.platform !== 'win32';

/** What lies in the place of a skill's folder. */
export type FoundFolder =
  | { readonly kind: 'missing' }
  /** Files and folders only, no more than a skill has. */
  | { readonly kind: 'files'; readonly files: readonly HashedFile[] }
  | { readonly kind: 'other'; readonly what: string };

/** Reads a folder with all of its files. Follows no links, and reads no more than a skill may have. */
export async function readFolder(path: string): Promise<FoundFolder> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found === undefined) return { kind: 'missing' };
  if (found.isSymbolicLink()) return { kind: 'other', what: 'a link' };
  if (!found.isDirectory()) return { kind: 'other', what: 'no folder' };
  const files: HashedFile[] = [];
  const what = await collect(path, '', files, { bytes: 0 });
  return what === undefined ? { kind: 'files', files } : { kind: 'other', what };
}

/** @returns what is there that no skill has; undefined if there is no such thing */
async function collect(
  root: string,
  folder: string,
  files: HashedFile[],
  total: { bytes: number },
): Promise<string | undefined> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const what = await collect(root, path, files, total);
      if (what !== undefined) return what;
      continue;
    }
    if (!entry.isFile()) return `a folder with something else than files in it, ${JSON.stringify(path)}`;
    const { size, mode } = await lstat(join(root, path));
    total.bytes += size;
    if (files.length >= MAX_CONTENT_FILES || total.bytes > MAX_CONTENT_BYTES) return 'a folder larger than any skill';
    files.push({ path, bytes: await readFile(join(root, path)), executable: HAS_MODES && (mode & 0o111) !== 0 });
  }
  return undefined;
}

/**
 * The real path of the folder that skills are installed in, which is made where it is missing.
 *
 * @param within a folder that the way there must not leave by a link: what is in a project is written by strangers
 * @throws {SkillSearchError} `INSTALL_REFUSED`
 */
export async function targetFolder(to: string, within: string | undefined): Promise<string> {
  const path = resolve(to);
  try {
    if (within !== undefined) {
      const existing = await deepestExisting(path);
      if (!isInside(existing, await realpath(within))) {
        const message = `${JSON.stringify(path)} leads out of ${JSON.stringify(within)} by a link, to ${JSON.stringify(existing)}`;
        throw new SkillSearchError('INSTALL_REFUSED', message, { path });
      }
    }
    makeFolder(path, { code: 'INSTALL_REFUSED' });
    return await realpath(path);
  } catch (cause) {
    if (cause instanceof SkillSearchError) throw cause;
    const message = `the folder ${JSON.stringify(path)} cannot be made: ${(cause as Error).message}`;
    throw new SkillSearchError('INSTALL_REFUSED', message, { path, cause });
  }
}

/** The real path of the nearest folder above, or of the folder itself. */
async function deepestExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  return deepestExisting(dirname(path));
}
