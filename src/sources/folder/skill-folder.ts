import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { isInside, readAhead } from '../../core/index.js';
import { UNKNOWN } from '../../skill.js';
import type { ReadOptions, ResolvedSource, SourceItem, SourceKind, SourceRemark } from '../rows/row.js';
import { deriveId } from '../rows/skill-id.js';
import { cleanText, joinPath, pathInside } from '../rows/texts.js';
import { type GitOrigin, GitOrigins, type GitProblem } from './git-origin.js';
import { AheadAllowance } from './read-file.js';
import { AHEAD_BYTES, readSkill, SKILLS_AHEAD } from './read-skill.js';
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
    ? walkFolder(roots, name, signal)
    : findSkillsIn(options.folders, realRoot, signal));
  const originsIn = new Map<string, GitOrigins>();
  const gitOf = async (folder: string): Promise<GitOrigin | undefined> => {
    if (options.git === false) return undefined;
    const root = roots.rootOf(folder) ?? realRoot;
    let origins = originsIn.get(root);
    if (origins === undefined) {
      origins = new GitOrigins(root, walk.repositories, { timeout: gitTimeout, budget: gitBudget, signal });
      originsIn.set(root, origins);
    }
    return origins.of(folder);
  };
  const baseName = basename(source.path) || UNKNOWN;
  const contents = options.contents !== false;

  yield* walk.problems;
  try {
    const read = readAhead(walk.skills, SKILLS_AHEAD, async (skill, turn) => {
      signal?.throwIfAborted();
      const git = await gitOf(skill.realPath);
      const publication = publishedPlaceOf(skill, git, baseName, options);
      const origin = { source: `${name}/${joinPath(skill.path, skill.skillFile)}` };
      const { admit } = new AheadAllowance(AHEAD_BYTES, turn);
      return readSkill(skill, { origin, publication, git, roots, baseName, contents, signal, admit });
    });
    yield* read;
    for (const [root, { problems }] of originsIn) {
      for (const problem of problems) yield gitRemark(problem, root === realRoot ? name : basename(root), root);
    }
  } finally {
    await Promise.all([...originsIn.values()].map((origins) => origins.close()));
  }
}

function gitRemark({ root, message, hidesRemote }: GitProblem, name: string, realRoot: string): SourceRemark {
  // Says nothing of where a repository above the source lies.
  const inside = isInside(root, realRoot) ? joinPath(pathInside(realRoot, root), '.git') : '';
  const origin = { source: inside === '' ? name : `${name}/${inside}` };
  return { kind: 'remark', origin, message, ...(hidesRemote && { hidesSkills: true as const }) };
}

/** Where a skill of a folder is published, as far as git or the options say. */
export interface PublishedPlace {
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
  const encoded = path
    .split('/')
    .map((segment) => encodeURIComponent(cleanText(segment)))
    .join('/');
  return path === '' ? base.replace(/\/+$/, '') : `${base.replace(/\/+$/, '')}/${encoded}`;
}
