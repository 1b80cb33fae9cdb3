import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAX_PROJECT_LEVELS } from './limits.js';

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
  const notProjects = new Set(withParents(home));
  const levels: string[] = [];
  for (const at of withParents(cwd).slice(0, MAX_PROJECT_LEVELS)) {
    if (notProjects.has(at)) break;
    levels.push(at);
    const repository = await lstat(join(at, '.git')).catch(() => undefined);
    if (repository !== undefined) return levels;
  }
  return levels.slice(0, 1);
}

/** A path and those of the folders that it lies in, the innermost first. */
function withParents(path: string): string[] {
  const all = [path];
  for (let at = path; dirname(at) !== at; at = dirname(at)) all.push(dirname(at));
  return all;
}
