import { basename } from 'node:path';
import { partByName } from '../../sources/index.js';

/**
 * Whether what has this name in a folder may be a part of a skill, or say something about skills. Of a `.git` only the
 * files count that change when a commit is made, another branch is checked out, or a remote is set.
 *
 * @param folder path or name of the folder
 */
export function isWatchedInside(folder: string, name: string): boolean {
  if (basename(folder) === '.git') return TOLD_BY_GIT.has(name);
  return name === '.git' || partByName(name) !== 'none';
}

/** {@link isWatchedInside}, for each name of a path inside a source, with `/`. */
export function isWatchedPath(inside: string): boolean {
  const names = inside.split('/');
  return names.every((name, at) => isWatchedInside(names[at - 1] ?? '', name));
}

/** Not `index`: whoever only asks git for its state writes that, too. */
const TOLD_BY_GIT = new Set(['HEAD', 'ORIG_HEAD', 'COMMIT_EDITMSG', 'config']);
