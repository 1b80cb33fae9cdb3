import type { Dirent } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { compareCodePoints } from '../../text/code-point-order.js';
import { isSkillFile } from '../rows/content-name.js';
import { isNeverEntered, listFolder } from './list-folder.js';
import { isInside, joinPath, pathInside } from './source-paths.js';
import type { FoundSkill, Walk } from './walk-folder.js';

/** Some folders of a source cannot be read by themselves: what they hold depends on the rest of it. */
export class WholeWalkNeeded extends Error {
  override readonly name = 'WholeWalkNeeded';
}

/**
 * Looks for every SKILL.md in some folders of a source, and below them: what a walk through the whole source would find
 * there. Reads nothing else of the source. A folder that is not there holds nothing.
 *
 * @param folders absolute paths
 * @param root of the source, without symbolic links
 * @throws {WholeWalkNeeded} if there are links, or a folder that cannot be read
 * @throws the signal's reason when aborted
 */
export async function findSkillsIn(folders: readonly string[], root: string, signal?: AbortSignal): Promise<Walk> {
  const skills = new Map<string, FoundSkill>();
  const repositories = new Set<string>();
  for (const folder of folders) {
    if (folder === root || !isInside(folder, root)) throw new WholeWalkNeeded(`${folder} is not inside ${root}`);
    const path = pathInside(root, folder);
    if (path.split('/').some(isNeverEntered)) continue;
    if (!(await isFolderInPlace(folder))) continue;
    for (let at = dirname(folder); ; at = dirname(at)) {
      if ((await lstat(join(at, '.git')).catch(() => undefined)) !== undefined) repositories.add(at);
      if (at === root) break;
    }
    const waiting = [{ path, realPath: folder }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal?.throwIfAborted();
      for (const entry of await list(next.realPath)) {
        const { name } = entry;
        if (name === '.git') repositories.add(next.realPath);
        if (entry.isSymbolicLink()) throw new WholeWalkNeeded(`${next.realPath} has links`);
        const realPath = next.realPath + sep + name;
        if (entry.isDirectory() && !isNeverEntered(name)) waiting.push({ path: joinPath(next.path, name), realPath });
        // SKILL.md sorts before every other way to write it.
        if (!entry.isFile() || !isSkillFile(name) || skills.has(next.path)) continue;
        skills.set(next.path, { ...next, skillFile: name, realSkillFile: realPath });
      }
    }
  }
  const found = [...skills.values()].sort((a, b) => compareCodePoints(a.path, b.path));
  return { skills: found, repositories, problems: [] };
}

/** Whether there is a folder. One that is reached through links is another way to a part of the source, or out of it. */
async function isFolderInPlace(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return false;
  const isInPlace = (await realpath(folder).catch(() => undefined)) === folder;
  if (!isInPlace) throw new WholeWalkNeeded(`${folder} is reached through links`);
  return found.isDirectory();
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await listFolder(folder);
  } catch (cause) {
    throw new WholeWalkNeeded(`${folder} cannot be read`, { cause });
  }
}
