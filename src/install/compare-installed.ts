import { join, resolve } from 'node:path';
import { checkNames, checkOptions, checkPath, invalidArgument, namesOf, optionOf } from '../check-arguments.js';
import type { SkillSearch } from '../index.js';
import { realPathOrSelf } from '../real-path-or-self.js';
import { type HashedFile, hashOfFiles } from './folder-hash.js';
import type { LockChoice } from './install-skills.js';
import { installableFiles } from './installable-skill.js';
import { isAsLocked, notedHash } from './lock-entry.js';
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
 * - `different`: other files than the catalogue has; the lock file does not say which were installed
 * - `not-in-catalogue`: the catalogue does not have it, or not all of its files
 * - `missing`: the lock file has an entry, and there is no folder
 */
export type InstalledState =
  | 'up-to-date'
  | 'changed-in-catalogue'
  | 'changed-here'
  | 'changed-in-both'
  | 'different'
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

/** Options of {@link compareInstalled}. */
export interface CompareOptions {
  /**
   * Hosts, without port, of servers that publish this catalogue, beside those of this machine. A skill that came from
   * one of them is told by its name where nothing better is noted, if the catalogue has one skill of that name.
   *
   * @default []
   */
  readonly servers?: readonly string[] | undefined;
}

const NAMES = namesOf<InstalledPlace>({ path: true, form: true, folders: true, within: true });
const OPTIONS = namesOf<CompareOptions>({ servers: true });

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
  options: CompareOptions = {},
): Promise<readonly ComparedSkill[]> {
  if (!Array.isArray(places)) throw invalidArgument(optionOf('places'), 'an array', places);
  checkOptions(options, OPTIONS);
  const { servers = [] } = options;
  if (!Array.isArray(servers) || !servers.every((host) => typeof host === 'string')) {
    throw invalidArgument(optionOf('servers'), 'an array of names of hosts', servers);
  }
  const compared: ComparedSkill[] = [];
  for (const place of places) {
    const lock = await lockOf(place);
    const locked = new LockedSkills(search, lock.entries.keys(), servers);
    for (const name of [...lock.entries.keys()].sort()) {
      const found = await foldersOf(name, place.folders);
      compared.push(...compareEntry(search, locked, lock, name, found));
    }
  }
  return compared;
}

async function lockOf(place: InstalledPlace): Promise<LockFile> {
  checkNames(place, NAMES, optionOf('places'));
  checkPath('places.path', place.path, 'a file');
  if (place.within !== undefined) checkPath('places.within', place.within, 'a folder');
  const within = place.within === undefined ? undefined : await realPathOrSelf(place.within);
  return LockFile.read(resolve(place.path), place.form, within);
}

function compareEntry(
  search: SkillSearch,
  locked: LockedSkills,
  lock: LockFile,
  name: string,
  found: readonly FoundSkill[],
): ComparedSkill[] {
  const entry = lock.entries.get(name)!;
  const hashes = found.flatMap(({ files }) => (files === undefined ? [] : [hashOfFiles(files)]));
  const id = locked.find(name, entry, hashes);
  const wanted =
    id === undefined ? { reason: 'no skill of the catalogue has this name and source' } : installableFiles(search, id);
  const { source } = entry;
  const about = {
    name,
    ...(id === undefined ? {} : { id }),
    ...(typeof source === 'string' ? { source } : {}),
    lock: lock.path,
    ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
  };
  if (found.length === 0) return [{ ...about, state: 'missing' }];
  return found.map(({ folder, files }) => ({ ...about, folder, state: stateOf(files, entry, wanted.files) }));
}

/** @param wanted undefined if the catalogue has nothing to compare with */
function stateOf(
  files: readonly HashedFile[] | undefined,
  entry: LockEntry,
  wanted: readonly HashedFile[] | undefined,
): InstalledState {
  if (wanted === undefined) return 'not-in-catalogue';
  if (files !== undefined && hashOfFiles(files) === hashOfFiles(wanted)) return 'up-to-date';
  if (notedHash(entry) === undefined) return 'different';
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
