import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSkillName, MAX_CONTENT_BYTES, MAX_CONTENT_FILES, SkillSearchError } from '../../core/index.js';
import type { SkillSearch } from '../../search/index.js';
import type { SkillDetails } from '../../skill.js';

/** A file as hashes of folders see it. */
export interface HashedFile {
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/**
 * `computedHash` of `skills-lock.json`, as `npx skills` computes it: the SHA-256 of path and bytes of each file, in the
 * order of `localeCompare`, without folders of git and npm. It does not see which files are executable.
 */
export function hashOfFiles(files: readonly HashedFile[]): string {
  const hash = createHash('sha256');
  const kept = files.filter(({ path }) => !/(?:^|\/)(?:\.git|node_modules)\//.test(path));
  for (const { path, bytes } of kept.toSorted((a, b) => a.path.localeCompare(b.path))) {
    hash.update(path).update(bytes);
  }
  return hash.digest('hex');
}

/** A skill of a catalogue whose files can be written as they were. */
export interface InstallableSkill {
  readonly skill: SkillDetails;
  readonly files: readonly HashedFile[];
}

/**
 * Reads a skill with all of its bytes, compared with their digests.
 *
 * @throws {SkillSearchError} `SKILL_NOT_FOUND`; `INSTALL_REFUSED` with the reason; `DATABASE_DAMAGED`
 */
export function installableSkill(search: SkillSearch, id: string): InstallableSkill {
  const skill = search.get(id);
  const contents = search.contents(id);
  if (skill === undefined || contents === undefined) {
    throw new SkillSearchError('SKILL_NOT_FOUND', `the catalogue has no skill ${JSON.stringify(id)}`, { skill: id });
  }
  if (!contents.complete) throw installRefused(id, 'not all of its files are stored as they were');
  if (!isSkillName(skill.name)) {
    const name = JSON.stringify(skill.name.slice(0, 100));
    throw installRefused(
      id,
      `a folder gets its name, so ${name} must be 1 to 64 lower-case letters, digits and single hyphens`,
    );
  }
  const paths = contents.files.map(({ path }) => path);
  const fault = paths.includes('SKILL.md') ? faultOfPaths(paths) : 'it has no file SKILL.md';
  if (fault !== undefined) throw installRefused(id, fault);
  const files = contents.files.map(({ path, sha256, executable }) => {
    const bytes = search.read(id, path);
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256) {
      throw installRefused(id, `${JSON.stringify(path)} is not stored as it was`);
    }
    return { path, bytes, executable };
  });
  return { skill, files };
}

/** @param reason why a skill cannot be installed */
export function installRefused(id: string, reason: string): SkillSearchError {
  return new SkillSearchError('INSTALL_REFUSED', `${JSON.stringify(id)} cannot be installed: ${reason}`, { skill: id });
}

/** Windows knows no executable files, so nothing there can differ by it. */
const HAS_MODES = process.platform !== 'win32';

/**
 * The files of a folder. Follows no links, and reads no more than a skill may have.
 *
 * @returns undefined if there is nothing; a text if it is something else than a folder of files
 */
export async function readFolder(folder: string): Promise<readonly HashedFile[] | string | undefined> {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'a link';
  if (!found.isDirectory()) return 'no folder';
  const files: HashedFile[] = [];
  let bytes = 0;
  const folders = [''];
  for (const prefix of folders) {
    for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) {
        folders.push(`${path}/`);
        continue;
      }
      if (!entry.isFile()) return `a folder with something else than files in it, ${JSON.stringify(path)}`;
      const { size, mode } = lstatSync(join(folder, path));
      bytes += size;
      if (files.length >= MAX_CONTENT_FILES || bytes > MAX_CONTENT_BYTES) return 'a folder larger than any skill';
      files.push({ path, bytes: await readFile(join(folder, path)), executable: HAS_MODES && (mode & 0o111) !== 0 });
    }
  }
  return files;
}

/** Whether a folder has just the files of a skill. */
export function areSame(found: readonly HashedFile[], files: readonly HashedFile[]): boolean {
  const byPath = new Map(found.map((file) => [file.path, file]));
  const isThere = ({ path, bytes, executable }: HashedFile): boolean => {
    const other = byPath.get(path);
    if (other === undefined || Buffer.compare(other.bytes, bytes) !== 0) return false;
    return !HAS_MODES || other.executable === executable;
  };
  return found.length === files.length && files.every(isThere);
}

/** Names that Windows keeps for devices, whatever stands behind a point. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?:\..*)?$/i;

/** Characters that Windows has no files with, a drive (`C:`) and a stream (`a.md:b`) among them. */
const NOT_IN_NAMES = /[\u0000-\u001f"*:<>?|\\]/;

/** A folder of git, also by the short name that Windows gives it: git runs what its configuration says. */
const GIT = /^(?:\.git|git~\d+)$/i;

/** Longest name of a file, in bytes of UTF-8. File systems have no longer ones. */
const LONGEST_SEGMENT = 255;

/**
 * Why a file of a skill may not be written at this path: it would lie outside of the folder, or elsewhere on another
 * system, or be something else than a file there. The rules are those of all systems together, so a skill is installed
 * the same everywhere or nowhere.
 *
 * @param path inside the skill's folder, with `/`
 * @returns undefined where it may
 */
function faultOfSegment(segment: string): string | undefined {
  if (segment === '' || segment === '.' || segment === '..') return 'it has a part that is empty, . or ..';
  if (NOT_IN_NAMES.test(segment)) return 'it has a character that file names on Windows cannot have';
  if (!segment.isWellFormed()) return 'it is not well-formed Unicode';
  if (/[. ]$/.test(segment)) return 'it has a part that ends with a point or a blank, which Windows leaves out';
  if (DEVICE.test(segment)) return 'it has the name of a device on Windows';
  // Marks that HFS+ ignores would make another spelling of the same name.
  if (GIT.test(segment.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ''))) return 'git reads it';
  if (Buffer.byteLength(segment) > LONGEST_SEGMENT) return `it has a part of more than ${LONGEST_SEGMENT} bytes`;
  return undefined;
}

/**
 * Why these files may not be in one folder: a path of its own, or two that are one on a system that ignores case or the
 * form of accents, or a file that is the folder of another.
 *
 * @returns the first fault, with the path; undefined where they may
 */
export function faultOfPaths(paths: readonly string[]): string | undefined {
  // Folders have a `/` at their end.
  const seen = new Map<string, string>();
  for (const path of paths) {
    const fault = path
      .split('/')
      .map(faultOfSegment)
      .find((one) => one !== undefined);
    if (fault !== undefined) return `${JSON.stringify(path)}: ${fault}`;
    for (const one of [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1)).concat(path)) {
      // Equal for names that some file system takes for the same: capital letters, and accents in both forms.
      const key = one.replace(/\/$/, '').normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
      const other = seen.get(key);
      seen.set(key, one);
      if (other === undefined || (other === one && one.endsWith('/'))) continue;
      return `${JSON.stringify(other)} and ${JSON.stringify(one)} are one file or folder on some systems`;
    }
  }
  return undefined;
}
