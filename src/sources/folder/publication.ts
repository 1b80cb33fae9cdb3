import { UNKNOWN } from '../../skill.js';
import { cleanText } from '../rows/clean-text.js';
import type { ReadOptions } from '../rows/read-options.js';
import { deriveId } from '../rows/skill-id.js';
import type { GitOrigin } from './git-origin.js';
import { joinPath, pathInside } from './source-paths.js';
import type { FoundSkill } from './walk-folder.js';

/** Where a skill of a folder is published, as far as git or the options say. */
export interface Publication {
  readonly location: string;
  readonly author: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
}

/**
 * Finds where a skill is published: in the remote of its git repository, else below the addresses of the options.
 *
 * @param baseName of the source's folder: begins the location if there is no remote
 */
export function publicationOf(
  skill: FoundSkill,
  git: GitOrigin | undefined,
  baseName: string,
  options: ReadOptions,
): Publication {
  const remote = git?.remote;
  const path = git === undefined || remote === undefined ? skill.path : pathInside(git.root, skill.realPath);
  const location = joinPath(remote?.repository ?? baseName, path).replace(/\/$/, '');
  const tree = remote?.webUrl === undefined || path === '' ? remote?.webUrl : `${remote.webUrl}/tree/HEAD`;
  const codehostBase = tree ?? options.codehostBase;
  return {
    location,
    author: remote?.owner ?? options.author ?? UNKNOWN,
    codehostUrl: codehostBase === undefined ? UNKNOWN : underBase(codehostBase, tree === undefined ? skill.path : path),
    skillUrl: options.skillUrlBase === undefined ? UNKNOWN : underBase(options.skillUrlBase, deriveId(location).slug),
  };
}

function underBase(base: string, path: string): string {
  const encoded = path
    .split('/')
    .map((segment) => encodeURIComponent(cleanText(segment)))
    .join('/');
  return path === '' ? base.replace(/\/+$/, '') : `${base.replace(/\/+$/, '')}/${encoded}`;
}
