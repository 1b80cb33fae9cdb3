import type { Dirent } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { compareCodePoints, isInside } from '../../core/index.js';
import { isSkillFile } from '../rows/content-name.js';
import { isNeverEntered, listFolder } from './list-folder.js';
import { joinPath, pathInside } from './source-paths.js';
import type { FoundSkill, Walk } from './walk-folder.js';

/** Some folders of a source cannot be read by themselves: what they hold depends on the rest of it. */
class WholeWalkNeeded extends Error {
  override readonly name = 'WholeWalkNeeded';
}

/**
 * Looks for every SKILL.md in some folders of a source, and below them: what a walk through the whole source would find
 * there. Reads nothing else of the source. A folder that is not there holds nothing.
 *
 * @param folders absolute paths
 * @param root of the source, without symbolic links
 * @throws {WholeWalkNeeded} if there are links, a folder that cannot be read, or a SKILL.md that is no file
 * @throws the signal's reason when aborted
 */
export async function findSkillsIn(folders: readonly string[], root: string, signal?: AbortSignal): Promise<Walk> {
  const skills = new Map<string, FoundSkill>();
  const repositories = new Set<string>();
  for (const named of folders) {
    if (named === root || !isInside(named, root)) throw new WholeWalkNeeded(`${named} is not inside ${root}`);
    const folder = await outermostSkill(named, root);
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
        if (!isSkillFile(name)) continue;
        if (!entry.isFile()) throw new WholeWalkNeeded(`${realPath} is no file`);
        if (skills.has(next.path)) continue;
        skills.set(next.path, { ...next, skillFile: name, realSkillFile: realPath });
      }
    }
  }
  const found = [...skills.values()].sort((a, b) => compareCodePoints(a.path, b.path));
  return { skills: found, repositories, problems: [] };
}

/** The folder, or the outermost skill that it is a part of: the contents of a skill are all files below it. */
async function outermostSkill(folder: string, root: string): Promise<string> {
  let outermost = folder;
  for (let at = folder; at !== root; ) {
    at = dirname(at);
    const entries = await listFolder(at).catch(() => []);
    if (!entries.some(({ name }) => isSkillFile(name))) continue;
    if (at === root) throw new WholeWalkNeeded(`${root} is a skill itself`);
    outermost = at;
  }
  return outermost;
}

/**
 * Whether there is a folder. One that is reached through links is another way to a part of the source, or out of it.
 */
async function isFolderInPlace(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((cause: NodeJS.ErrnoException) => {
    // What cannot be looked at may be there.
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') {
      throw new WholeWalkNeeded(`${folder} cannot be read`, { cause });
    }
    return undefined;
  });
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
