import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../core/index.js';
import { systemReason } from '../rows/texts.js';

/** Largest file that is read in a repository (its configuration, a reference), in bytes. Real ones have a page. */
export const MAX_GIT_FILE_BYTES: number = 1024 * 1024;

/** Largest list of references or of shallow commits, in bytes. Enough for half a million of them. */
export const MAX_GIT_LIST_BYTES: number = 32 * 1024 * 1024;

/** Where the files of a repository lie. All paths are absolute and without links. */
export interface GitFolder {
  /** Has `HEAD`. */
  readonly own: string;
  /** Has everything else. Differs from `own` in a linked work tree only. */
  readonly common: string;
  /** Folders that everything git reads must lie in. */
  readonly bounds: readonly string[];
  /**
   * Whether the repository lies outside the bounds of its work tree and has not yet proved that the work tree is its
   * own. Its `core.worktree` must then name the work tree, as that of a submodule does.
   */
  readonly unproven: boolean;
}

/**
 * Finds the repository of a work tree. A `.git` that is a file leads somewhere else, and whoever wrote it chose where:
 * to a private repository of this machine, say. So it is followed only inside the source, or to a repository that
 * itself names this work tree. Nobody but its owner can write that.
 *
 * @param root real path of the work tree
 * @param bound real path of the folder that the repository must lie in
 * @throws {UnsafeRepository}
 */
export async function findGitFolder(root: string, bound: string): Promise<GitFolder> {
  const dotGit = join(root, '.git');
  const found = await lstat(dotGit);
  if (!found.isFile()) {
    const own = await pathInRepository(dotGit, '.git', [bound]);
    if (own === undefined || !(await lstat(own)).isDirectory()) {
      throw new UnsafeRepository('.git is neither a folder nor a file');
    }
    return { own, common: await commonFolder(own, [bound]), bounds: [bound], unproven: false };
  }

  const text = (await readGitFile(dotGit, '.git', [bound], MAX_GIT_FILE_BYTES)) ?? '';
  const [, target] = /^gitdir: ([^\0\r\n]+)[\r\n]*$/.exec(text) ?? [];
  if (target === undefined) throw new UnsafeRepository('.git is a file without the path of a repository');
  const own = await realpath(resolve(root, target)).catch(() => undefined);
  if (own === undefined) throw new UnsafeRepository('.git leads nowhere');
  if (isInside(own, bound)) {
    return { own, common: await commonFolder(own, [bound]), bounds: [bound], unproven: false };
  }
  const common = dirname(dirname(own));
  if (basename(dirname(own)) === 'worktrees' && (await namesWorkTree(own, root))) {
    if ((await commonFolder(own, [common])) !== common) throw new UnsafeRepository('commondir leads elsewhere');
    return { own, common, bounds: [common], unproven: false };
  }
  return { own, common: own, bounds: [own], unproven: true };
}

/** The folder that a linked work tree shares with others. */
async function commonFolder(own: string, bounds: readonly string[]): Promise<string> {
  const text = await readGitFile(join(own, 'commondir'), 'commondir', bounds, MAX_GIT_FILE_BYTES);
  if (text === undefined) return own;
  const common = await pathInRepository(resolve(own, text.replace(/[\r\n]+$/, '')), 'commondir', bounds);
  if (common === undefined) throw new UnsafeRepository('commondir leads nowhere');
  return common;
}

/** Whether the folder of a linked work tree says that the work tree is at `root`. */
async function namesWorkTree(own: string, root: string): Promise<boolean> {
  const text = await readGitFile(join(own, 'gitdir'), 'gitdir', [own], MAX_GIT_FILE_BYTES);
  if (text === undefined) return false;
  const dotGit = resolve(own, text.replace(/[\r\n]+$/, ''));
  return basename(dotGit) === '.git' && (await realpath(dirname(dotGit)).catch(() => undefined)) === root;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)/;

/** References of one work tree, not shared with others. */
const OF_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/** References that lead to others are followed so far, as git does. */
const MAX_STEPS = 5;

/**
 * The commit that HEAD leads to, read without git: git would open whatever a reference is.
 *
 * @returns a hash in hex digits; undefined in a repository without a commit, or with references in another format
 * @throws {UnsafeRepository}
 */
export async function readHead(folder: GitFolder): Promise<string | undefined> {
  let name = 'HEAD';
  for (let step = 0; step < MAX_STEPS; step++) {
    const base = name === 'HEAD' || OF_WORK_TREE.test(name) ? folder.own : folder.common;
    const text = await readGitFile(join(base, name), name, folder.bounds, MAX_GIT_FILE_BYTES);
    if (text === undefined) return name === 'HEAD' ? undefined : readPacked(folder, name);
    const [commit] = COMMIT.exec(text) ?? [];
    if (commit !== undefined) return commit;
    const [, next] = /^ref:\s*(refs\/[^\0\r\n]+?)\s*$/.exec(text) ?? [];
    if (next === undefined || next.split('/').some((part) => part === '' || /^\.+$/.test(part))) {
      throw new UnsafeRepository(`${name === 'HEAD' ? name : 'a reference'} is neither a commit nor a reference`);
    }
    name = next;
  }
  return undefined;
}

/** A reference in the list of packed ones: lines of a commit, a space and a name. */
async function readPacked(folder: GitFolder, name: string): Promise<string | undefined> {
  const packed = join(folder.common, 'packed-refs');
  const text = `\n${(await readGitFile(packed, 'packed-refs', folder.bounds, MAX_GIT_LIST_BYTES)) ?? ''}\n`;
  const end = text.indexOf(` ${name}\n`);
  return end === -1 ? undefined : COMMIT.exec(text.slice(text.lastIndexOf('\n', end) + 1, end))?.[0];
}

/** Files among the objects of a repository. Git packs objects long before there are so many. */
const MAX_GIT_OBJECT_FILES = 1_000_000;

/** Largest index of a pack, in bytes. Git maps it as a whole, and this is half of the address space that it gets. */
const MAX_PACK_INDEX_BYTES: number = 512 * 1024 * 1024;

/** Object folders that borrow from each other are followed so far, as git does. */
const MAX_BORROWING = 5;

/**
 * Checks everything that git may open among the objects of a repository: regular files inside the bounds, and no index
 * that git would map into more memory than it gets. Opens nothing but folders and the list of borrowed folders.
 *
 * @param bounds real paths of the folders that objects must lie in
 * @param limit files that there may be
 * @returns the real path of the folder of objects; undefined if there is none
 * @throws {UnsafeRepository}
 */
export async function checkGitObjects(
  path: string,
  bounds: readonly string[],
  signal?: AbortSignal,
  limit: number = MAX_GIT_OBJECT_FILES,
): Promise<string | undefined> {
  return new ObjectsCheck(bounds, signal, limit).check(path, 0);
}

class ObjectsCheck {
  readonly #bounds: readonly string[];
  readonly #signal: AbortSignal | undefined;
  readonly #checked = new Set<string>();
  #filesLeft: number;

  constructor(bounds: readonly string[], signal: AbortSignal | undefined, limit: number) {
    this.#bounds = bounds;
    this.#signal = signal;
    this.#filesLeft = limit;
  }

  async check(path: string, depth: number): Promise<string | undefined> {
    const objects = await pathInRepository(path, 'objects', this.#bounds);
    if (objects === undefined || this.#checked.has(objects)) return objects;
    this.#checked.add(objects);
    for await (const { name, isFolder } of this.#list(objects)) {
      // Other folders hold nothing that a log reads; the list of borrowed folders is read below.
      if (isFolder && (name === 'pack' || /^[0-9a-f]{2}$/.test(name))) await this.#checkFiles(join(objects, name));
    }
    const list = await readGitFile(
      join(objects, 'info', 'alternates'),
      'objects/info/alternates',
      this.#bounds,
      MAX_GIT_FILE_BYTES,
    );
    for (const line of list?.split('\n') ?? []) {
      if (line === '' || line.startsWith('#')) continue;
      if (line.startsWith('"') || depth === MAX_BORROWING) {
        throw new UnsafeRepository('objects/info/alternates cannot be followed');
      }
      await this.check(resolve(objects, line), depth + 1);
    }
    return objects;
  }

  async #checkFiles(folder: string): Promise<void> {
    for await (const { name, isFolder } of this.#list(folder)) {
      if (isFolder || name.endsWith('.pack') || !/^(?:pack-|multi-pack-index)/.test(name)) continue;
      const { size } = await stat(join(folder, name));
      if (size > MAX_PACK_INDEX_BYTES) throw new UnsafeRepository('the index of a pack is too large');
    }
  }

  async *#list(folder: string): AsyncGenerator<{ readonly name: string; readonly isFolder: boolean }> {
    this.#signal?.throwIfAborted();
    try {
      for await (const entry of await opendir(folder, { bufferSize: 256 })) {
        const isFolder = entry.isDirectory();
        if (!isFolder && this.#filesLeft-- === 0) throw new UnsafeRepository('too many objects in files of their own');
        if (!isFolder && !entry.isFile()) throw new UnsafeRepository('not everything in objects is a regular file');
        yield { name: entry.name, isFolder };
      }
    } catch (error) {
      if (error instanceof UnsafeRepository) throw error;
      throw new UnsafeRepository(`objects cannot be read: ${systemReason(error)}`);
    }
  }
}

/** Why git is not asked about a repository. The message names files of the repository only, never where they lie. */
export class UnsafeRepository extends Error {
  override readonly name = 'UnsafeRepository' as const;
}

// Non-blocking, because opening a pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The real path of something in a repository.
 *
 * @param bounds real paths of the folders that it must lie in
 * @returns undefined if nothing is there
 * @throws {UnsafeRepository} if it lies elsewhere
 */
async function pathInRepository(path: string, what: string, bounds: readonly string[]): Promise<string | undefined> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new UnsafeRepository(`${what} cannot be read: ${systemReason(error)}`);
  });
  if (real === undefined || bounds.some((bound) => isInside(real, bound))) return real;
  throw new UnsafeRepository(`${what} leads out of the source`);
}

/**
 * The text of a file of a repository.
 *
 * @param bounds real paths of the folders that it must lie in, links followed
 * @param limit bytes that it may have
 * @returns undefined if there is no such file
 * @throws {UnsafeRepository} if it is not a regular file, lies elsewhere, or is larger
 */
export async function readGitFile(
  path: string,
  what: string,
  bounds: readonly string[],
  limit: number,
): Promise<string | undefined> {
  const real = await pathInRepository(path, what, bounds);
  if (real === undefined) return undefined;
  try {
    return await readRegular(real, what, limit);
  } catch (error) {
    if (error instanceof UnsafeRepository) throw error;
    throw new UnsafeRepository(`${what} cannot be read: ${systemReason(error)}`);
  }
}

async function readRegular(path: string, what: string, limit: number): Promise<string> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const found = await file.stat();
    const { size } = found;
    if (!found.isFile()) throw new UnsafeRepository(`${what} is not a regular file`);
    // One more than its size: a file that grows, or that says it is empty and is not.
    const bytes = Buffer.allocUnsafeSlow(Math.min(size, limit) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (size > limit) throw new UnsafeRepository(`${what} is over ${limit.toLocaleString('en')} bytes`);
    if (length > size) throw new UnsafeRepository(`${what} grows while it is read`);
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
