import { lstat } from 'node:fs/promises';
import { MAX_CHANGED_IN_PLACE } from '../core/index.js';
import { type Affected, affectedFolders } from './affected-folders.js';
import type { SourceChanges } from './gathered-changes.js';
import type { LoadPlan } from './load-changes.js';
import type { WatchedSource } from './watched-source.js';

/** Changes of sources. */
export type Changes = ReadonlyMap<WatchedSource, SourceChanges>;

/**
 * Decides what of changed sources is read: the folders that are affected, all of a source where these cannot be told,
 * or, where much has changed, all of it by a whole load.
 *
 * @param followLinks whether a skill of one source may lie in another
 */
export async function planLoad(
  changes: Changes,
  all: readonly WatchedSource[],
  followLinks: boolean,
): Promise<LoadPlan> {
  const whole = new Set<WatchedSource>();
  const parts = new Map<WatchedSource, readonly string[]>();
  for (const [source, { paths, everything }] of changes) {
    if (!source.isThere) continue;
    const { roots } = source;
    if (everything) {
      whole.add(source);
      continue;
    }
    const affected = roots === undefined ? ALL : await affectedFolders(roots, paths);
    if (affected.everything) parts.set(source, []);
    else if (affected.folders.length > MAX_CHANGED_IN_PLACE) whole.add(source);
    else if (affected.folders.length > 0) parts.set(source, affected.folders);
  }
  if (followLinks && whole.size + parts.size > 0) {
    return { whole: all.filter(({ isThere }) => isThere), parts: new Map() };
  }
  return { whole: all.filter((source) => whole.has(source)), parts };
}

const ALL: Affected = { folders: [], everything: true };

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
