import { join, resolve } from 'node:path';
import {
  checkFlag,
  checkNames,
  checkOptions,
  checkPath,
  invalidArgument,
  namesOf,
  optionOf,
  SkillSearchError,
} from '../../core/index.js';
import type { SkillSearch } from '../../search/index.js';
import { type InstallableSkill, installableSkill } from './installable-skill.js';
import type { HashedFile } from './lock-file.js';
import { isAsLocked, isSameOrigin, LockFile, type LockForm, lockEntry, notedHash } from './lock-file.js';
import { clearLeftovers, HAS_MODES, readFolder, StagingFolder, targetFolder } from './staging-folder.js';

/** Skills that one call of `installSkills` takes. They are written before any of them is put in its place. */
const MAX_INSTALLED_AT_ONCE = 1000;

/** A lock file, and the form that it has. */
export interface LockChoice {
  readonly path: string;
  readonly form: LockForm;
}

/** Options of {@link installSkills}. */
export interface InstallOptions {
  /** Ids of the skills, 1 to 1,000. */
  readonly ids: readonly string[];
  /** The folder that gets a folder for each skill. It is made where it is missing. */
  readonly to: string;
  /** Where it is noted what was installed. @default `skills-lock.json` in `to`, of the form `project` */
  readonly lock?: LockChoice | undefined;
  /** A folder that neither `to` nor the lock file may leave by a link: that of a project. @default none */
  readonly within?: string | undefined;
  /** Whether to replace a skill that the lock file knows, if nobody has changed its files since. @default false */
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
const LOCK_OPTIONS = namesOf<LockChoice>({ path: true, form: true });

/**
 * Writes skills of a catalogue into a folder, as they were: all files, each compared with its digest. All of the skills
 * are installed or none. Nothing is overwritten without `force`.
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
  const { ids, to, lock: choice, within, force = false } = checkInstallOptions(options);
  const wanted = ids.map((id) => installableSkill(search, id));
  refuseTwins(wanted);
  const bound = within === undefined ? undefined : await targetFolder(within, undefined);
  const readLock = ({ path, form }: LockChoice): Promise<LockFile> => LockFile.read(resolve(path), form, bound);
  // Before the target is made: where the file cannot be read, nothing is left of the call.
  const chosen = choice === undefined ? undefined : await readLock(choice);
  const base = await targetFolder(to, within);
  const lock = chosen ?? (await readLock({ path: join(base, 'skills-lock.json'), form: 'project' }));
  const form = choice?.form ?? 'project';
  await clearLeftovers(base);
  const planned: PlannedSkill[] = [];
  for (const one of wanted) planned.push({ ...one, state: await stateOf(one, base, lock, force) });
  await carryOut(planned, base, lock, form);
  const skills = planned.map(({ skill: { id, name }, files, state }) => {
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    return { id, name, folder: join(base, name), state, files: files.length, bytes };
  });
  return { skills, lock: lock.path };
}

interface PlannedSkill extends InstallableSkill {
  readonly state: InstalledSkill['state'];
}

/** Puts all skills in their places and notes them, or none. */
async function carryOut(planned: readonly PlannedSkill[], base: string, lock: LockFile, form: LockForm): Promise<void> {
  const changed = planned.filter(({ state }) => state !== 'unchanged');
  const staging = changed.length === 0 ? undefined : await StagingFolder.make(base);
  try {
    for (const { skill, files } of changed) await staging?.write(skill.name, files);
    try {
      for (const { skill, state } of changed) await staging?.place(skill.name, state === 'replaced');
      const now = new Date().toISOString();
      for (const { skill, files, state } of planned) {
        const former = lock.entries.get(skill.name);
        const isNoted = state === 'unchanged' && former !== undefined;
        if (!isNoted) lock.set(skill.name, lockEntry(form, skill, files, former, now));
      }
      await lock.write();
    } catch (error) {
      await staging?.undo();
      throw error;
    }
  } finally {
    await staging?.remove();
  }
}

function checkInstallOptions(options: InstallOptions): InstallOptions {
  checkOptions(options, OPTIONS);
  const { ids, to, lock, within, force } = options;
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_INSTALLED_AT_ONCE;
  if (!isList || !ids.every((id) => typeof id === 'string')) {
    throw invalidArgument(optionOf('ids'), `an array of 1 to ${MAX_INSTALLED_AT_ONCE} ids`, ids);
  }
  checkPath('to', to, 'a folder');
  if (within !== undefined) checkPath('within', within, 'a folder');
  checkFlag('force', force);
  if (lock !== undefined) {
    checkNames(lock, LOCK_OPTIONS, optionOf('lock'));
    checkPath('lock.path', lock.path, 'a file');
    if (lock.form !== 'project' && lock.form !== 'user') {
      throw invalidArgument(optionOf('lock.form'), 'project or user', lock.form);
    }
  }
  return { ...options, ids: [...new Set(ids)] };
}

/** @throws {SkillSearchError} `INSTALL_REFUSED` if two skills would get the same folder */
function refuseTwins(wanted: readonly InstallableSkill[]): void {
  const idOf = new Map<string, string>();
  for (const { skill } of wanted) {
    const other = idOf.get(skill.name);
    if (other !== undefined) throw refused(skill.id, `it has the same name as ${JSON.stringify(other)}: ${skill.name}`);
    idOf.set(skill.name, skill.id);
  }
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
  const folder = join(base, skill.name);
  const shown = JSON.stringify(folder);
  const entry = lock.entries.get(skill.name);
  const found = await readFolder(folder);
  if (entry !== undefined && !isSameOrigin(entry, skill) && !force) {
    const source = JSON.stringify(entry['source'] ?? 'another source');
    throw refused(skill.id, `the lock file has ${skill.name} from ${source}; the option force replaces it`);
  }
  if (found.kind === 'missing') return 'installed';
  if (found.kind === 'other') throw refused(skill.id, `${shown} is ${found.what}: move it away`);
  if (areSame(found.files, files)) return 'unchanged';
  if (entry === undefined) throw refused(skill.id, `${shown} is there, and no entry of the lock file: move it away`);
  if (!notedHash(entry)) throw refused(skill.id, `the lock file does not say what was in ${shown}: move it away`);
  if (!isAsLocked(found.files, entry)) {
    throw refused(
      skill.id,
      `${shown} was changed since it was installed: move it away, or your changes into the source`,
    );
  }
  if (!force) throw refused(skill.id, `${shown} has other files; the option force replaces them`);
  return 'replaced';
}

function areSame(found: readonly HashedFile[], files: readonly HashedFile[]): boolean {
  const byPath = new Map(found.map((file) => [file.path, file]));
  return (
    found.length === files.length &&
    files.every(({ path, bytes, executable }) => {
      const other = byPath.get(path);
      if (other === undefined || Buffer.compare(other.bytes, bytes) !== 0) return false;
      return !HAS_MODES || other.executable === executable;
    })
  );
}

function refused(id: string, reason: string): SkillSearchError {
  return new SkillSearchError('INSTALL_REFUSED', `${JSON.stringify(id)} cannot be installed: ${reason}`, { skill: id });
}
