import { createHash } from 'node:crypto';
import { isSkillName } from '../../core/index.js';
import { type SkillDetails, type SkillSearch, SkillSearchError } from '../../index.js';
import type { HashedFile } from './folder-hash.js';
import { faultOfPaths } from './path-faults.js';

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
  if (!contents.complete) throw refused(id, 'not all of its files are stored as they were');
  if (!isSkillName(skill.name)) {
    const name = JSON.stringify(skill.name.slice(0, 100));
    throw refused(
      id,
      `a folder gets its name, so ${name} must be 1 to 64 lower-case letters, digits and single hyphens`,
    );
  }
  const paths = contents.files.map(({ path }) => path);
  const fault = paths.includes('SKILL.md') ? faultOfPaths(paths) : 'it has no file SKILL.md';
  if (fault !== undefined) throw refused(id, fault);
  const files = contents.files.map(({ path, sha256, executable }) => {
    const bytes = search.read(id, path);
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256) {
      throw refused(id, `${JSON.stringify(path)} is not stored as it was`);
    }
    return { path, bytes, executable };
  });
  return { skill, files };
}

function refused(id: string, reason: string): SkillSearchError {
  return new SkillSearchError('INSTALL_REFUSED', `${JSON.stringify(id)} cannot be installed: ${reason}`, { skill: id });
}
