import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../core/index.js';
import { systemReason } from '../rows/texts.js';
import { readFile } from './read-file.js';

/** Largest file that is read in a repository (its configuration, a reference), in bytes. Real ones have a page. */
export const MAX_GIT_FILE_BYTES: number = 1024 * 1024;

/** Largest list of references or of shallow commits, in bytes. Enough for half a million of them. */
export const MAX_GIT_LIST_BYTES: number = 32 * 1024 * 1024;

/** Files among the objects of a repository. Git packs objects long before there are so many. */
const MAX_GIT_OBJECT_FILES = 1_000_000;

/** Largest index of a pack, in bytes. Git maps it as a whole, and this is half of the address space that it gets. */
const MAX_PACK_INDEX_BYTES: number = 512 * 1024 * 1024;

/** Object folders that borrow from each other, and references that lead to others, are followed so far, as git does. */
const MAX_STEPS = 5;

/**
 * Why git is not asked about a repository, or did not answer. The message names files of the repository only, never
 * where they lie.
 */
export class GitFault extends Error {
  override readonly name = 'GitFault' as const;
  /** The exit status of git, or that it ran out of its time. */
  readonly status: number | 'timeout' | undefined;

  constructor(message: string, status?: number | 'timeout') {
    super(message);
    this.status = status;
  }
}

/** Where the files of a repository lie. All paths are absolute and without links. */
export interface GitFolder {
  /** Has `HEAD`. */
  readonly own: string;
  /** Has everything else. Differs from `own` in a linked work tree only. */
  readonly common: string;
  /** The folder that everything git reads must lie in. */
  readonly bound: string;
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
 * @throws {GitFault}
 */
export async function findGitFolder(root: string, bound: string): Promise<GitFolder> {
  const dotGit = join(root, '.git');
  const inside = async (own: string): Promise<GitFolder> => {
    return { own, common: await commonFolder(own, bound), bound, unproven: false };
  };
  if (!(await lstat(dotGit)).isFile()) {
    const own = await pathInRepository(dotGit, '.git', bound);
    if (own !== undefined && (await lstat(own)).isDirectory()) return inside(own);
    throw new GitFault('.git is neither a folder nor a file');
  }
  const text = (await readGitFile(dotGit, '.git', bound)) ?? '';
  const [, target] = /^gitdir: ([^\0\r\n]+)[\r\n]*$/.exec(text) ?? [];
  if (target === undefined) throw new GitFault('.git is a file without the path of a repository');
  const own = await realpath(resolve(root, target)).catch(() => undefined);
  if (own === undefined) throw new GitFault('.git leads nowhere');
  if (isInside(own, bound)) return inside(own);
  const common = dirname(dirname(own));
  if (basename(dirname(own)) === 'worktrees' && (await namesWorkTree(own, root))) {
    if ((await commonFolder(own, common)) !== common) throw new GitFault('commondir leads elsewhere');
    return { own, common, bound: common, unproven: false };
  }
  return { own, common: own, bound: own, unproven: true };
}

/** The folder that a linked work tree shares with others. */
async function commonFolder(own: string, bound: string): Promise<string> {
  const text = await readGitFile(join(own, 'commondir'), 'commondir', bound);
  if (text === undefined) return own;
  const common = await pathInRepository(resolve(own, text.replace(/[\r\n]+$/, '')), 'commondir', bound);
  if (common === undefined) throw new GitFault('commondir leads nowhere');
  return common;
}

/** Whether the folder of a linked work tree says that the work tree is at `root`. */
async function namesWorkTree(own: string, root: string): Promise<boolean> {
  const text = await readGitFile(join(own, 'gitdir'), 'gitdir', own);
  if (text === undefined) return false;
  const dotGit = resolve(own, text.replace(/[\r\n]+$/, ''));
  return basename(dotGit) === '.git' && (await realpath(dirname(dotGit)).catch(() => undefined)) === root;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)/;

/** References of one work tree, not shared with others. */
const OF_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/**
 * The commit that HEAD leads to, read without git: git would open whatever a reference is.
 *
 * @returns a hash in hex digits; undefined in a repository without a commit, or with references in another format
 * @throws {GitFault}
 */
export async function readHead({ own, common, bound }: GitFolder): Promise<string | undefined> {
  let name = 'HEAD';
  for (let step = 0; step < MAX_STEPS; step++) {
    const isOwn = name === 'HEAD' || OF_WORK_TREE.test(name);
    const text = await readGitFile(join(isOwn ? own : common, name), name, bound);
    if (text === undefined) {
      if (name === 'HEAD') return undefined;
      // Lines of a commit, a space and a name.
      const path = join(common, 'packed-refs');
      const packed = `\n${(await readGitFile(path, 'packed-refs', bound, MAX_GIT_LIST_BYTES)) ?? ''}\n`;
      const end = packed.indexOf(` ${name}\n`);
      return end === -1 ? undefined : COMMIT.exec(packed.slice(packed.lastIndexOf('\n', end) + 1, end))?.[0];
    }
    const [commit] = COMMIT.exec(text) ?? [];
    if (commit !== undefined) return commit;
    const [, next] = /^ref:\s*(refs\/[^\0\r\n]+?)\s*$/.exec(text) ?? [];
    if (next === undefined || next.split('/').some((part) => part === '' || /^\.+$/.test(part))) {
      throw new GitFault(`${name === 'HEAD' ? name : 'a reference'} is neither a commit nor a reference`);
    }
    name = next;
  }
  return undefined;
}

/**
 * Checks everything that git may open among the objects of a repository: regular files inside the bounds, and no index
 * that git would map into more memory than it gets. Opens nothing but folders and the list of borrowed folders.
 *
 * @param bound real path of the folder that objects must lie in
 * @returns the real path of the folder of objects; undefined if there is none
 * @throws {GitFault}
 */
export async function checkGitObjects(path: string, bound: string, signal?: AbortSignal): Promise<string | undefined> {
  const checked = new Set<string>();
  let filesLeft = MAX_GIT_OBJECT_FILES;
  /** Names of the folders in a folder, and of files that git maps into memory. */
  const list = async (folder: string): Promise<{ readonly folders: string[]; readonly indexes: string[] }> => {
    signal?.throwIfAborted();
    const [folders, indexes]: [string[], string[]] = [[], []];
    const entries = await opendir(folder, { bufferSize: 256 });
    for await (const entry of entries) {
      if (entry.isDirectory()) folders.push(entry.name);
      else if (filesLeft-- === 0) throw new GitFault('too many objects in files of their own');
      else if (!entry.isFile()) throw new GitFault('not everything in objects is a regular file');
      else if (/^(?:pack-|multi-pack-index)(?!.*\.pack$)/.test(entry.name)) indexes.push(entry.name);
    }
    return { folders, indexes };
  };
  const check = async (from: string, depth: number): Promise<string | undefined> => {
    const objects = await pathInRepository(from, 'objects', bound);
    if (objects === undefined || checked.has(objects)) return objects;
    checked.add(objects);
    for (const name of (await list(objects)).folders) {
      // Other folders hold nothing that a log reads; the list of borrowed folders is read below.
      if (name !== 'pack' && !/^[0-9a-f]{2}$/.test(name)) continue;
      for (const index of (await list(join(objects, name))).indexes) {
        const { size } = await stat(join(objects, name, index));
        if (size > MAX_PACK_INDEX_BYTES) throw new GitFault('the index of a pack is too large');
      }
    }
    const alternates = 'objects/info/alternates';
    const borrowed = (await readGitFile(join(objects, 'info', 'alternates'), alternates, bound)) ?? '';
    for (const line of borrowed.split('\n')) {
      if (line === '' || line.startsWith('#')) continue;
      if (line.startsWith('"') || depth === MAX_STEPS) throw new GitFault(`${alternates} cannot be followed`);
      await check(resolve(objects, line), depth + 1);
    }
    return objects;
  };
  return check(path, 0).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof GitFault ? error : new GitFault(`objects cannot be read: ${systemReason(error)}`);
  });
}

/**
 * The real path of something in a repository.
 *
 * @param bound real path of the folder that it must lie in
 * @returns undefined if nothing is there
 * @throws {GitFault} if it lies elsewhere
 */
async function pathInRepository(path: string, what: string, bound: string): Promise<string | undefined> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new GitFault(`${what} cannot be read: ${systemReason(error)}`);
  });
  if (real === undefined || isInside(real, bound)) return real;
  throw new GitFault(`${what} leads out of the source`);
}

/**
 * The text of a file of a repository.
 *
 * @param bound real path of the folder that it must lie in, links followed
 * @param most bytes that it may have
 * @returns undefined if there is no such file
 * @throws {GitFault} if it is not a regular file, lies elsewhere, or is larger
 */
export async function readGitFile(
  path: string,
  what: string,
  bound: string,
  most: number = MAX_GIT_FILE_BYTES,
): Promise<string | undefined> {
  const real = await pathInRepository(path, what, bound);
  if (real === undefined) return undefined;
  const file = await readFile(real, { most }).catch((error: unknown) => {
    throw new GitFault(`${what} cannot be read: ${systemReason(error)}`);
  });
  if (file === 'special') throw new GitFault(`${what} is not a regular file`);
  if (typeof file === 'string') throw new GitFault(`${what} is over ${most.toLocaleString('en')} bytes`);
  if (!file.isSteady) throw new GitFault(`${what} changes while it is read`);
  return file.bytes.toString();
}
