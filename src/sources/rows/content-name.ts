/** What systems, interpreters and package managers put beside a skill. It is no part of it. */
const LEFT_BEHIND = new Set(['.DS_Store', 'Thumbs.db', '__pycache__', 'node_modules']);

/** Names under which programs keep keys and passwords. Nobody means to give these out with a skill. */
const SECRET =
  /^(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults)$).*)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.aws|\.ssh|\.gnupg|id_(?:rsa|dsa|ecdsa|ed25519))$/i;

/** What some file systems skip in a name: `.GIT` and `.git.` may be the same folder as `.git`. */
const SKIPPED = /\p{Default_Ignorable_Code_Point}+|[. ]+$/gu;

/** Why a file of such a name is left out. */
export const MAY_HOLD_SECRETS = 'may hold secrets';

/** Whether a file name is that of a SKILL.md, in capitals or not; of a path, whether it is the skill's own. */
export function isSkillFile(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === 'skill.md';
}

/** What the name of a file or folder says of its part in a skill. `none`: it is no part of one. */
export function partByName(name: string): 'file' | 'none' | 'secret' {
  if (LEFT_BEHIND.has(name) || isGitFolder(name)) return 'none';
  return SECRET.test(name) ? 'secret' : 'file';
}

/** The same of a path, where the first name that is no file counts. */
export function partByPath(path: string): 'file' | 'none' | 'secret' {
  for (const name of path.split('/')) {
    const part = partByName(name);
    if (part !== 'file') return part;
  }
  return 'file';
}

/** Whoever wrote into such a folder could name programs for git to run. */
function isGitFolder(name: string): boolean {
  return name === '.git' || name.replace(SKIPPED, '').toLowerCase() === '.git';
}
