import { randomBytes } from 'node:crypto';
import { constants, existsSync, lstatSync, realpathSync } from 'node:fs';
import { readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  ConfigFault,
  type ConfigFile,
  checkFlag,
  checkOptions,
  checkPath,
  invalidArgument,
  isAlive,
  isInside,
  isObject,
  makeFolder,
  namesOf,
  optionOf,
  orUndefined,
  readConfigFile,
  repositoryOf,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
import type { SkillSearch } from '../../search/index.js';
import type { Skill } from '../../skill.js';
import {
  areSame,
  type HashedFile,
  hashOfFiles,
  type InstallableSkill,
  installableSkill,
  installRefused,
  readFolder,
} from './skill-files.js';

/** Skills that one call of `installSkills` takes. They are written before any of them is put in its place. */
const MAX_INSTALLED_AT_ONCE = 1000;

/** Options of {@link installSkills}. */
export interface InstallOptions {
  /** Ids of the skills, 1 to 1,000. */
  readonly ids: readonly string[];
  /** The folder that gets a folder for each skill. It is made where it is missing. */
  readonly to: string;
  /** The file in which it is noted what was installed, as `npx skills` does. @default `skills-lock.json` in `to` */
  readonly lock?: string | undefined;
  /** A folder that neither `to` nor the lock file may leave by a link: that of a project. @default none */
  readonly within?: string | undefined;
  /** Whether to replace a skill that the lock file knows, also if its files were changed since. @default false */
  readonly force?: boolean | undefined;
}

/** A skill after {@link installSkills}. */
export interface InstalledSkill {
  readonly id: string;
  readonly name: string;
  /** The real path of its folder. */
  readonly folder: string;
  /** `unchanged`: the same files were there already. */
  readonly state: 'installed' | 'replaced' | 'unchanged';
  readonly files: number;
  readonly bytes: number;
}

/** What {@link installSkills} did. */
export interface InstallReport {
  /** In the order of the ids. */
  readonly skills: readonly InstalledSkill[];
  /** The path of the lock file. */
  readonly lock: string;
}

const OPTIONS = namesOf<InstallOptions>({ ids: true, to: true, lock: true, within: true, force: true });

/**
 * Writes skills of a catalogue into a folder, as they were: all files, each compared with its digest. A skill is
 * installed whole or not at all, and none before all are written. Nothing is overwritten without `force`.
 *
 * @param search opened with `localPaths: true` where skills without a repository should be noted with their folder
 * @throws {SkillSearchError} `INVALID_OPTION`, `SKILL_NOT_FOUND`, `DATABASE_DAMAGED`; `INSTALL_REFUSED`, with the
 *   reason
 * @throws the error of the file system, such as `ENOSPC`; nothing is installed then
 * @example
 * import { openSkillSearch } from 'skill-discovery';
 * import { installSkills } from 'skill-discovery/install';
 *
 * await using search = await openSkillSearch({ database: 'skills.db', localPaths: true });
 * const { skills } = await installSkills(search, { ids: ['pdf-forms'], to: '.claude/skills' });
 * console.log(skills[0]?.folder);
 */
export async function installSkills(search: SkillSearch, options: InstallOptions): Promise<InstallReport> {
  const { ids, to, within, force = false } = checkInstallOptions(options);
  const wanted = ids.map((id) => installableSkill(search, id));
  refuseTwins(wanted);
  const lock = new LockFile(resolve(options.lock ?? join(to, 'skills-lock.json')), within);
  const base = await targetFolder(to, within);
  await clearLeftovers(base);
  const planned: PlannedSkill[] = [];
  for (const one of wanted) planned.push({ ...one, state: await stateOf(one, base, lock, force) });
  await carryOut(planned, base, lock);
  const skills = planned.map(({ skill: { id, name }, files, state }) => {
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    return { id, name, folder: join(base, name), state, files: files.length, bytes };
  });
  return { skills, lock: lock.path };
}

type PlannedSkill = InstallableSkill & Pick<InstalledSkill, 'state'>;

function checkInstallOptions(options: InstallOptions): InstallOptions {
  checkOptions(options, OPTIONS);
  const { ids, to, lock, within, force } = options;
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_INSTALLED_AT_ONCE;
  if (!isList || !ids.every((id) => typeof id === 'string')) {
    throw invalidArgument(optionOf('ids'), `an array of 1 to ${MAX_INSTALLED_AT_ONCE} ids`, ids);
  }
  checkPath('to', to, 'a folder');
  if (within !== undefined) checkPath('within', within, 'a folder');
  if (lock !== undefined) checkPath('lock', lock, 'a file');
  checkFlag('force', force);
  return { ...options, ids: [...new Set(ids)] };
}

/** @throws {SkillSearchError} `INSTALL_REFUSED` if two skills would get the same folder */
function refuseTwins(wanted: readonly InstallableSkill[]): void {
  for (const [i, { skill }] of wanted.entries()) {
    const other = wanted.slice(0, i).find((one) => one.skill.name === skill.name)?.skill.id;
    if (other === undefined) continue;
    throw installRefused(skill.id, `it has the same name as ${JSON.stringify(other)}: ${skill.name}`);
  }
}

/**
 * The real path of the folder that skills are installed in, which is made where it is missing.
 *
 * @param within a folder that the way there must not leave by a link: what is in a project is written by strangers
 * @throws {SkillSearchError} `INSTALL_REFUSED`
 */
async function targetFolder(to: string, within: string | undefined): Promise<string> {
  const path = resolve(to);
  if (within !== undefined) {
    let existing = path;
    while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
    const real = await realpath(existing);
    if (!isInside(real, await realpath(within))) {
      const message = `${JSON.stringify(path)} leads out of ${JSON.stringify(within)} by a link, to ${JSON.stringify(real)}`;
      throw new SkillSearchError('INSTALL_REFUSED', message, { path });
    }
  }
  makeFolder(path, { code: 'INSTALL_REFUSED' });
  return realpath(path);
}

/**
 * What is to be done for a skill.
 *
 * @throws {SkillSearchError} `INSTALL_REFUSED` where something is in the way that must not be overwritten
 */
async function stateOf(
  { skill, files }: InstallableSkill,
  base: string,
  lock: LockFile,
  force: boolean,
): Promise<InstalledSkill['state']> {
  const folder = JSON.stringify(join(base, skill.name));
  const entry = lock.entries.get(skill.name);
  const found = await readFolder(join(base, skill.name));
  if (entry !== undefined && !isOfSkill(entry, skill) && !force) {
    const source = JSON.stringify(entry['source'] ?? 'another source');
    throw installRefused(skill.id, `the lock file has ${skill.name} from ${source}; the option force replaces it`);
  }
  if (found === undefined) return 'installed';
  if (typeof found === 'string') throw installRefused(skill.id, `${folder} is ${found}: move it away`);
  if (areSame(found, files)) return 'unchanged';
  if (entry === undefined) {
    throw installRefused(skill.id, `${folder} is there, and no entry of the lock file: move it away`);
  }
  if (force) return 'replaced';
  const isAsInstalled = entry['computedHash'] === hashOfFiles(found);
  const what = isAsInstalled ? 'has files of another version' : 'was changed by hand since it was installed';
  throw installRefused(skill.id, `${folder} ${what}; the option force replaces it`);
}

/**
 * Puts all skills in their places. They are written beside their places first, and noted in the lock file, and then
 * renamed one by one: until then nothing is installed.
 */
async function carryOut(planned: readonly PlannedSkill[], base: string, lock: LockFile): Promise<void> {
  const changed = planned.filter(({ state }) => state !== 'unchanged');
  const staging = join(base, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    for (const { skill, files } of changed) await writeFiles(join(staging, 'new', skill.name), files);
    if (changed.length > 0) makeFolder(join(staging, 'replaced'), { code: 'INSTALL_REFUSED' });
    const unnoted = planned.filter(({ state, skill }) => state !== 'unchanged' || !lock.entries.has(skill.name));
    lock.write(unnoted.map(({ skill, files }) => [skill.name, lockEntry(skill, files)]));
    for (const { skill, state } of changed) {
      if (state === 'replaced') await rename(join(base, skill.name), join(staging, 'replaced', skill.name));
      await rename(join(staging, 'new', skill.name), join(base, skill.name));
    }
  } finally {
    await removeStaging(staging, base);
  }
}

/** Writes the files of a skill into a new folder, to the disk itself. */
async function writeFiles(root: string, files: readonly HashedFile[]): Promise<void> {
  for (const { path, bytes, executable } of files) {
    const target = join(root, ...path.split('/'));
    makeFolder(dirname(target), { code: 'INSTALL_REFUSED' });
    // Fails where a file is there already: everything here is new.
    await writeFile(target, bytes, { flag: 'wx', mode: executable ? 0o777 : 0o666, flush: true });
  }
}

/** Before the number of the process that writes into a staging folder, and random letters. */
const PREFIX = '.skill-discovery-install-';
const STAGING = /^\.skill-discovery-install-(\d+)-[0-9a-f]{12}$/;

/** Removes what installs left whose processes are no more. */
async function clearLeftovers(base: string): Promise<void> {
  for (const entry of await readdir(base, { withFileTypes: true })) {
    const pid = STAGING.exec(entry.name)?.[1];
    if (pid === undefined || !entry.isDirectory() || isAlive(Number(pid))) continue;
    await removeStaging(join(base, entry.name), base);
  }
}

/** Removes a staging folder, and puts back a skill that was to be replaced and was not. */
async function removeStaging(staging: string, base: string): Promise<void> {
  const replaced = join(staging, 'replaced');
  // A project may come with a link in its place: what is behind that is not ours.
  const isFolder = lstatSync(replaced, { throwIfNoEntry: false })?.isDirectory() === true;
  for (const former of isFolder ? await readdir(replaced, { withFileTypes: true }) : []) {
    const target = join(base, former.name);
    const isLost = former.isDirectory() && lstatSync(target, { throwIfNoEntry: false }) === undefined;
    if (isLost) await rename(join(replaced, former.name), target);
  }
  await rm(staging, { recursive: true, force: true });
}

/** Largest lock file that is read, in bytes. A project brings its own. */
const MAX_LOCK_FILE_BYTES: number = 16 * 1024 * 1024;

/** How often a file is written that others write to as well. */
const MOST_TRIES = 20;

/** An entry of a lock file as it was read: whatever other installers write. */
type LockEntry = Readonly<Record<string, unknown>>;

/** `skills-lock.json` of version 1, as `npx skills` has it. What others wrote there stays. */
class LockFile {
  readonly path: string;
  readonly entries: ReadonlyMap<string, LockEntry>;

  /**
   * @param within the file must not lie outside of this folder by a link
   * @throws {SkillSearchError} `INSTALL_REFUSED` if it is there and cannot be read: writing it would lose what it says
   */
  constructor(path: string, within: string | undefined) {
    const file = fileAt(path);
    if (within !== undefined && file.target !== path && !isInside(file.target, realpathSync(within))) {
      throw lockRefused(path, 'it is a link that leads out of the project');
    }
    this.path = file.target;
    this.entries = new Map(Object.entries(contentsOf(file).skills));
  }

  /** Notes skills in the file as it is by now. */
  write(entries: readonly (readonly [string, LockEntry])[]): void {
    if (entries.length === 0) return;
    makeFolder(dirname(this.path), { code: 'INSTALL_REFUSED' });
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const file = fileAt(this.path);
      const contents = contentsOf(file);
      const all = Object.entries({ ...contents.skills, ...Object.fromEntries(entries) });
      const skills = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
      if (writeConfigFile(file, `${JSON.stringify({ ...contents, skills }, undefined, 2)}\n`, 0o666)) return;
    }
    throw lockRefused(this.path, 'other programs change it all the time');
  }
}

function fileAt(path: string): ConfigFile {
  try {
    return readConfigFile(path, MAX_LOCK_FILE_BYTES, constants.R_OK);
  } catch (error) {
    throw error instanceof ConfigFault ? lockRefused(path, error.message) : error;
  }
}

function contentsOf({ path, text }: ConfigFile): { readonly skills: Readonly<Record<string, LockEntry>> } {
  if (text === undefined) return { ...{ version: 1 }, skills: {} };
  const lock: unknown = orUndefined(() => JSON.parse(text));
  if (lock === undefined) throw lockRefused(path, 'it is not JSON');
  const { version, skills } = isObject(lock) ? lock : {};
  if (version !== 1) {
    throw lockRefused(path, `its version must be 1, got ${(JSON.stringify(version) ?? 'none').slice(0, 100)}`);
  }
  if (!isObject(skills) || !Object.values(skills).every(isObject)) {
    throw lockRefused(path, 'it has no object "skills" of objects');
  }
  return lock as { readonly skills: Readonly<Record<string, LockEntry>> };
}

function lockRefused(path: string, reason: string): SkillSearchError {
  const message = `the lock file ${JSON.stringify(path)} cannot be used: ${reason}`;
  return new SkillSearchError('INSTALL_REFUSED', message, { path });
}

/** The entry of a skill as `npx skills` writes it, with the skill's id beside: other installers leave that as it is. */
function lockEntry(skill: Skill, files: readonly HashedFile[]): LockEntry {
  return { ...originOf(skill), computedHash: hashOfFiles(files), skillId: skill.id };
}

/** Whether an entry names this skill of this source. */
function isOfSkill(entry: LockEntry, skill: Skill): boolean {
  return entry['skillId'] === undefined ? entry['source'] === originOf(skill)['source'] : entry['skillId'] === skill.id;
}

/** Where a skill comes from: the repository, or the folder of this machine. */
function originOf({ id, codehostUrl, localPath }: Skill): LockEntry {
  const repository = repositoryOf(codehostUrl);
  if (repository === undefined) return { source: localPath ?? id, sourceType: 'local' };
  const { github, cloneUrl, ref, folder } = repository;
  const place = { ...(ref && { ref }), ...(folder !== undefined && { skillPath: `${folder}/SKILL.md` }) };
  if (github !== undefined) return { source: github, sourceType: 'github', ...place };
  const sourceType = cloneUrl.startsWith('https://gitlab.com/') ? 'gitlab' : 'git';
  return { source: cloneUrl, sourceType, sourceUrl: cloneUrl, ...place };
}
