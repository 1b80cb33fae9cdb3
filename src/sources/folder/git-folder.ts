import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../core/index.js';
import { pathInRepository, readGitFile, UnsafeRepository } from './git-file.js';

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
