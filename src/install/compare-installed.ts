import { join, resolve } from 'node:path';
import { checkNames, checkPath, invalidArgument, namesOf, optionOf } from '../check-arguments.js';
import { type SkillSearch, SkillSearchError } from '../index.js';
import { realPathOrSelf } from '../real-path-or-self.js';
import { type HashedFile, hashOfFiles } from './folder-hash.js';
import { isAsLocked, type LockChoice } from './install-skills.js';
import { installableSkill } from './installable-skill.js';
import { type LockEntry, LockFile } from './lock-file.js';
import { LockedSkills } from './locked-skills.js';
import { faultOfPath } from './path-faults.js';
import { readFolder } from './read-folder.js';

/** A lock file, and the folders in which the skills of its entries may lie. */
export interface InstalledPlace extends LockChoice {
  readonly folders: readonly string[];
  /** A folder that the lock file must not leave by a link: that of a project. @default none */
  readonly within?: string | undefined;
}

/**
 * How an installed skill stands to the catalogue:
 *
 * - `up-to-date`: the same files
 * - `changed-in-catalogue`: as installed, and the catalogue has other files by now
 * - `changed-here`: the catalogue has what was installed, and the files here are others
 * - `changed-in-both`: neither is what was installed
 * - `not-in-catalogue`: the catalogue does not have it, or not all of its files
 * - `missing`: the lock file has an entry, and there is no folder
 */
export type InstalledState =
  | 'up-to-date'
  | 'changed-in-catalogue'
  | 'changed-here'
  | 'changed-in-both'
  | 'not-in-catalogue'
  | 'missing';

/** An installed skill, by the entry of a lock file and a folder. */
export interface ComparedSkill {
  readonly name: string;
  readonly state: InstalledState;
  /** In the catalogue; absent if the entry names none and no skill is found by its source. */
  readonly id?: string;
  /** As the entry has it. */
  readonly source?: string;
  /** Absent if none of the folders has it. */
  readonly folder?: string;
  readonly lock: string;
  /** Why the catalogue has nothing to compare with. */
  readonly reason?: string;
}

const NAMES = namesOf<InstalledPlace>({ path: true, form: true, folders: true, within: true });

/**
 * Compares what lock files say was installed, and what lies in the folders, with a catalogue. Reads only. Which files
 * are executable is not compared: lock files do not say it.
 *
 * @returns a skill for each entry and each folder that has it, in the order of the places and of the names
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_DAMAGED`; `INSTALL_REFUSED` if a lock file cannot be read,
 *   or is a link out of `within`
 */
export async function compareInstalled(
  search: SkillSearch,
  places: readonly InstalledPlace[],
): Promise<readonly ComparedSkill[]> {
  if (!Array.isArray(places)) throw invalidArgument(optionOf('places'), 'an array', places);
  const compared: ComparedSkill[] = [];
  for (const place of places) {
    checkNames(place, NAMES, optionOf('places'));
    checkPath('places.path', place.path, 'a file');
    if (place.within !== undefined) checkPath('places.within', place.within, 'a folder');
    const within = place.within === undefined ? undefined : await realPathOrSelf(place.within);
    const lock = await LockFile.read(resolve(place.path), place.form, within);
    const locked = new LockedSkills(search, lock.entries.keys());
    for (const name of [...lock.entries.keys()].sort()) {
      const entry = lock.entries.get(name)!;
      const wanted = inCatalogue(search, locked.find(name, entry));
      const { source } = entry;
      const about = {
        name,
        ...(wanted.id === undefined ? {} : { id: wanted.id }),
        ...(typeof source === 'string' ? { source } : {}),
        lock: lock.path,
        ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
      };
      const found = await foldersOf(name, place.folders);
      if (found.length === 0) compared.push({ ...about, state: 'missing' });
      for (const { folder, files } of found) {
        compared.push({ ...about, folder, state: stateOf(files, entry, wanted.files) });
      }
    }
  }
  return compared;
}

interface Wanted {
  readonly id?: string | undefined;
  readonly files?: readonly HashedFile[];
  readonly reason?: string;
}

function inCatalogue(search: SkillSearch, id: string | undefined): Wanted {
  if (id === undefined) return { reason: 'no skill of the catalogue has this name and source' };
  try {
    return { id, files: installableSkill(search, id).files };
  } catch (error) {
    if (!(error instanceof SkillSearchError) || error.code === 'DATABASE_DAMAGED') throw error;
    return { id, reason: error.message };
  }
}

/** @param wanted undefined if the catalogue has nothing to compare with */
function stateOf(
  files: readonly HashedFile[] | undefined,
  entry: LockEntry,
  wanted: readonly HashedFile[] | undefined,
): InstalledState {
  if (wanted === undefined) return 'not-in-catalogue';
  if (files !== undefined && hashOfFiles(files) === hashOfFiles(wanted)) return 'up-to-date';
  if (files !== undefined && isAsLocked(files, entry)) return 'changed-in-catalogue';
  return isAsLocked(wanted, entry) ? 'changed-here' : 'changed-in-both';
}

interface FoundSkill {
  readonly folder: string;
  /** Undefined if what is there is no skill: too large, or with links in it. */
  readonly files: readonly HashedFile[] | undefined;
}

async function foldersOf(name: string, folders: readonly string[]): Promise<readonly FoundSkill[]> {
  const found: FoundSkill[] = [];
  // Whoever wrote the lock file may want something else to be read.
  if (name.includes('/') || faultOfPath(name) !== undefined) return found;
  for (const parent of new Set(folders.map((folder) => resolve(folder)))) {
    const folder = join(parent, name);
    const read = await readFolder(folder);
    // Agents' folders often link to the one folder that has the files, which is looked at, too.
    if (read.kind === 'missing' || (read.kind === 'other' && read.what === 'a link')) continue;
    found.push({ folder, files: read.kind === 'files' ? read.files : undefined });
  }
  return found;
}
