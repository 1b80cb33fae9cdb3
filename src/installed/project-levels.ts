import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAX_PROJECT_LEVELS } from '../limits.js';
import { isInside } from '../sources/folder/source-paths.js';

/**
 * The folders whose skills belong to the project that somebody works in: the working folder and those above it, up to
 * the root of the repository, which is the nearest with a `.git`. Without a repository it is the working folder alone.
 *
 * The home folder, and what is above it, is never a project, even if it is a repository: what lies there is the user's.
 *
 * @param cwd real path
 * @param home real path
 * @returns the nearest first
 */
export async function projectLevels(cwd: string, home: string): Promise<string[]> {
  const levels: string[] = [];
  for (let at = cwd; levels.length < MAX_PROJECT_LEVELS && !isInside(home, at); at = dirname(at)) {
    levels.push(at);
    const repository = await lstat(join(at, '.git')).catch(() => undefined);
    if (repository !== undefined) return levels;
    if (dirname(at) === at) break;
  }
  return levels.slice(0, 1);
}
