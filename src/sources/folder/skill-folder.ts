import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { isInside, readAhead } from '../../core/index.js';
import { type Skill, UNKNOWN } from '../../skill.js';
import type { ReadOptions, ResolvedSource, SourceItem, SourceKind, SourceRemark } from '../rows/row.js';
import { deriveId } from '../rows/skill-id.js';
import { cleanText, joinPath, pathInside } from '../rows/texts.js';
import { type GitOrigin, GitOrigins, type GitProblem } from './git-origin.js';
import { readSkill, SKILLS_AHEAD } from './read-skill.js';
import { findSkillsIn, LinkRoots, type WalkedSkill, walkFolder } from './walk-folder.js';

/** How long git may work on one repository, in seconds. A log of 50,000 commits takes about half of it. */
const GIT_REPOSITORY_SECONDS = 20;

/** How long git may work on all repositories of one source, in seconds, by default. A usual one takes 0.02. */
const GIT_SOURCE_SECONDS = 120;

/** A folder with SKILL.md files at any depth. */
export const SKILL_FOLDER: SourceKind = {
  name: 'folder',
  description: 'a folder',
  isPath: (_, found) => found.isDirectory(),
  read: readSkillFolder,
};

/**
 * The skills of a folder: one row for each SKILL.md, in the order of their paths, in the form of a JSON row. Memory
 * holds the paths of all and the texts of a few skills at a time.
 */
async function* readSkillFolder(source: ResolvedSource, options: ReadOptions): AsyncGenerator<SourceItem> {
  const { signal, gitTimeout = GIT_REPOSITORY_SECONDS * 1000, gitBudget = GIT_SOURCE_SECONDS * 1000 } = options;
  const name = source.name.replace(/(?<=.)[/\\]+$/, '');
  const realRoot = await realpath(source.path);
  const roots = new LinkRoots(realRoot, options.linkRoots);
  const walk = await (options.folders === undefined
    ? walkFolder(roots, name, { signal })
    : findSkillsIn(options.folders, roots, name, signal));
  const git = new GitOrigins(roots, walk.repositories, { timeout: gitTimeout, budget: gitBudget, signal });
  const baseName = basename(source.path) || UNKNOWN;
  const contents = options.contents !== false;

  yield* walk.problems;
  try {
    yield* readAhead(walk.skills, SKILLS_AHEAD, async (skill, turn) => {
      signal?.throwIfAborted();
      const gitOrigin = options.git === false ? undefined : await git.of(skill.realPath);
      const publication = publishedPlaceOf(skill, gitOrigin, baseName, options);
      const origin = { source: `${name}/${joinPath(skill.path, skill.skillFile)}` };
      return readSkill(skill, { origin, publication, git: gitOrigin, roots, baseName, contents, signal, turn });
    });
    for (const problem of git.problems) yield gitRemark(problem, name, realRoot);
  } finally {
    await git.close();
  }
}

function gitRemark({ root, bound, message, hidesRemote }: GitProblem, name: string, realRoot: string): SourceRemark {
  const source = bound === realRoot ? name : basename(bound);
  // Says nothing of where a repository above the source lies.
  const inside = isInside(root, bound) ? `/${joinPath(pathInside(bound, root), '.git')}` : '';
  return { kind: 'remark', origin: { source: source + inside }, message, ...(hidesRemote && { hidesSkills: true }) };
}

/** Where a skill of a folder is published, as far as git or the options say. */
export interface PublishedPlace extends Pick<Skill, 'author' | 'codehostUrl' | 'skillUrl'> {
  readonly location: string;
}

/**
 * Finds where a skill is published: in the remote of its git repository, else below the addresses of the options.
 *
 * @param baseName of the source's folder: begins the location if there is no remote
 */
export function publishedPlaceOf(
  skill: WalkedSkill,
  git: GitOrigin | undefined,
  baseName: string,
  options: ReadOptions,
): PublishedPlace {
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
  const segments = path === '' ? [] : path.split('/').map((segment) => encodeURIComponent(cleanText(segment)));
  return [base.replace(/\/+$/, ''), ...segments].join('/');
}
