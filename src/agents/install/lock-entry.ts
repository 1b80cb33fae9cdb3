import { repositoryOf } from '../../core/index.js';
import type { Skill } from '../../index.js';
import { gitTreeHash, type HashedFile, hashOfFiles } from './folder-hash.js';
import type { LockEntry, LockForm } from './lock-file.js';

/** The field of an entry that names the skill's id in the catalogue. Other installers leave it as it is. */
const ID_FIELD = 'skillId';

/**
 * The entry of an installed skill, as `npx skills` writes it, with the skill's id beside. Says where the skill came
 * from first: the repository, or the folder of this machine.
 *
 * @param former what the lock file says of this name so far
 * @param now ISO 8601
 */
export function lockEntry(
  form: LockForm,
  skill: Skill,
  files: readonly HashedFile[],
  former: LockEntry | undefined,
  now: string,
): LockEntry {
  const { sourceUrl, ...origin } = originOf(skill);
  const id = { [ID_FIELD]: skill.id };
  if (form === 'project') {
    const url = origin.sourceType === 'github' || origin.sourceType === 'local' ? {} : { sourceUrl };
    return { ...origin, ...url, computedHash: hashOfFiles(files), ...id };
  }
  const skillFolderHash = origin.sourceType === 'github' ? gitTreeHash(files) : hashOfFiles(files);
  const installedAt = typeof former?.['installedAt'] === 'string' ? former['installedAt'] : now;
  return { ...origin, sourceUrl, skillFolderHash, ...id, installedAt, updatedAt: now };
}

/** Whether two entries name the same skill of the same source. */
export function isSameOrigin(entry: LockEntry, skill: Skill): boolean {
  const { source, skillPath } = originOf(skill);
  if (typeof entry[ID_FIELD] === 'string') return entry[ID_FIELD] === skill.id;
  return entry['source'] === source && (entry['skillPath'] ?? skillPath) === skillPath;
}

/** Whether files are those that an installer noted. */
export function isAsLocked(files: readonly HashedFile[], entry: LockEntry): boolean {
  const noted = notedHash(entry);
  return noted === hashOfFiles(files) || noted === gitTreeHash(files);
}

/** Undefined if an entry has none: `npx skills` notes none for the user of what it gets from well-known paths. */
export function notedHash(entry: LockEntry): string | undefined {
  const hash = entry['computedHash'] ?? entry['skillFolderHash'];
  return typeof hash === 'string' && hash !== '' ? hash : undefined;
}

interface Origin {
  readonly source: string;
  readonly sourceType: 'github' | 'gitlab' | 'git' | 'local';
  readonly sourceUrl: string;
  readonly ref?: string;
  readonly skillPath?: string;
}

function originOf({ id, codehostUrl, localPath }: Skill): Origin {
  const repository = repositoryOf(codehostUrl);
  if (repository === undefined) {
    const source = localPath ?? id;
    return { source, sourceType: 'local', sourceUrl: source };
  }
  const { github, cloneUrl, ref, folder } = repository;
  const place = {
    ...(ref === undefined ? {} : { ref }),
    ...(folder === undefined ? {} : { skillPath: `${folder}/SKILL.md` }),
  };
  if (github !== undefined) return { source: github, sourceType: 'github', sourceUrl: cloneUrl, ...place };
  const sourceType = cloneUrl.startsWith('https://gitlab.com/') ? 'gitlab' : 'git';
  return { source: cloneUrl, sourceType, sourceUrl: cloneUrl, ...place };
}
