import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isInside } from '../core/index.js';
import { isSkillFile } from '../sources/index.js';

/** What changed paths mean for a source. */
export interface Affected {
  /** Absolute paths of folders to read anew with everything in them; none lies in another. Some are gone. */
  readonly folders: readonly string[];
  /** Whether skills may be affected that lie in none of these folders. */
  readonly everything: boolean;
}

/**
 * Finds the folders of skills that changed paths belong to. Files belong to every skill above them: what a skill is
 * made of has the skills inside it, too.
 *
 * @param roots of the source: absolute, without links; none lies in another
 */
export async function affectedFolders(roots: readonly string[], paths: Iterable<string>): Promise<Affected> {
  const all = [...paths];
  const folders: string[] = [];
  for (const root of roots) {
    const affected = await affectedIn(root, all);
    if (affected.everything) return affected;
    for (const folder of affected.folders) folders.push(folder);
  }
  return { folders: folders.sort(), everything: false };
}

async function affectedIn(root: string, paths: readonly string[]): Promise<Affected> {
  const folders = new Set<string>();
  const isSkill = new Map<string, boolean>();
  for (const path of paths) {
    if (!isInside(path, root)) continue;
    // A commit gives all skills of the repository another date, a remote other places.
    if (path === root || isOfGit(path)) return { folders: [], everything: true };
    const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error.code);
    // What lies behind a link may belong to any skill.
    if (typeof found === 'object' && found.isSymbolicLink()) return { folders: [], everything: true };
    // What is gone may have been a folder of skills. What cannot be looked at is left as it is.
    const isGone = found === 'ENOENT' || found === 'ENOTDIR';
    if (isGone || (typeof found === 'object' && found.isDirectory())) folders.add(path);
    if (isSkillFile(basename(path))) folders.add(dirname(path));
    for (let folder = dirname(path); isInside(folder, root); folder = dirname(folder)) {
      if (!isSkill.has(folder)) isSkill.set(folder, await hasSkillFile(folder));
      if (isSkill.get(folder) === true) folders.add(folder);
      if (folder === dirname(folder)) break;
    }
  }
  if (folders.has(root)) return { folders: [], everything: true };
  return { folders: outermost(folders), everything: false };
}

function isOfGit(path: string): boolean {
  return basename(path) === '.git' || basename(dirname(path)) === '.git';
}

async function hasSkillFile(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some(isSkillFile);
}

/** Those that lie in none of the others, in order. */
function outermost(folders: ReadonlySet<string>): string[] {
  return [...folders].filter((folder) => !liesIn(dirname(folder), folders)).sort();
}

function liesIn(folder: string, folders: ReadonlySet<string>): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (folders.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}
