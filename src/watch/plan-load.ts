import { lstat } from 'node:fs/promises';
import { MAX_CHANGED_FOLDERS } from '../limits.js';
import { affectedFolders } from './affected-folders.js';
import type { SourceChanges } from './gathered-changes.js';
import type { LoadPlan } from './load-changes.js';
import type { WatchedSource } from './watched-source.js';

/** Changes of sources. */
export type Changes = ReadonlyMap<WatchedSource, SourceChanges>;

/**
 * Decides what of changed sources is read: the folders that are affected, or all of a source where that cannot be told
 * or costs no less.
 *
 * @param database absolute path of the catalogue
 * @param followLinks whether a skill of one source may lie in another
 */
export async function planLoad(
  changes: Changes,
  all: readonly WatchedSource[],
  followLinks: boolean,
): Promise<LoadPlan> {
  if (followLinks && changes.size > 0) return { whole: all.filter(({ isThere }) => isThere), folders: new Map() };
  const whole: WatchedSource[] = [];
  const folders = new Map<WatchedSource, readonly string[]>();
  for (const [source, { paths, everything }] of changes) {
    if (!source.isThere) continue;
    const { root } = source;
    if (everything || root === undefined) {
      whole.push(source);
      continue;
    }
    const affected = await affectedFolders(root, paths);
    if (affected.everything || affected.folders.length > MAX_CHANGED_FOLDERS) whole.push(source);
    else if (affected.folders.length > 0) folders.set(source, affected.folders);
  }
  return { whole: all.filter((source) => whole.includes(source)), folders };
}

/** Paths of changes that lead to nothing. */
export async function missingPaths(paths: Iterable<string>): Promise<string[]> {
  const missing: string[] = [];
  for (const path of paths) {
    const code = await lstat(path).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'ENOENT' || code === 'ENOTDIR') missing.push(path);
  }
  return missing;
}
