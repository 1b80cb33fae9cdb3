import { AGENTS, type AgentProblem, type InstalledOptions } from './agents.js';
import type { InstalledFolder } from './find-folders.js';
import { findCollisions, type NameCollision, type ReportedSkill } from './inspect-skills.js';

export { type Surroundings, surroundings, type UserFolders, userFolders } from '../../core/index.js';
export {
  AGENTS,
  type Agent,
  type AgentFolders,
  type AgentProblem,
  type InstalledOptions,
  SHARED_AGENT,
  shownPath,
} from './agents.js';
export type { InstalledFolder } from './find-folders.js';
export type { NameCollision, ReportedInstallation, ReportedSkill } from './inspect-skills.js';

/** A folder of an agent. */
export interface ReportedFolder extends Omit<InstalledFolder, 'agent'> {
  /** Number of skills that the agent finds in it. */
  readonly skills: number;
}

/** What one agent has. */
export interface ReportedAgent {
  readonly name: string;
  readonly title: string;
  /** In the order in which it takes skills of the same name. */
  readonly folders: readonly ReportedFolder[];
  /** Number of its skills; one that it reaches twice counts once. */
  readonly skills: number;
}

/** Which skills the agents of a machine have, and what is wrong with them. */
export interface InstalledReport {
  /** In the order of `AGENTS`. */
  readonly agents: readonly ReportedAgent[];
  /** In code-point order of their paths. */
  readonly skills: readonly ReportedSkill[];
  readonly collisions: readonly NameCollision[];
  /** What was not read, or not followed. */
  readonly problems: readonly AgentProblem[];
}

/**
 * Looks at every skill that is installed on this machine: where it is, what it is called, and what is wrong with it. Of
 * a skill only the SKILL.md is read.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export async function inspectInstalled(options: InstalledOptions = {}): Promise<InstalledReport> {
  // Whoever only asks for the names of agents needs none of what reads skills.
  const { walkInstalled } = await import('./read-installed.js');
  const { inspectSkills } = await import('./inspect-skills.js');
  const { skills: found, folders, agents, problems } = await walkInstalled(options);
  const skills = await inspectSkills(found);

  const counts = folders.map(() => 0);
  const called = found.flatMap(({ found: { realSkillFile: skill }, folderNumbers }, i) =>
    folderNumbers.map((folder, at) => {
      counts[folder]! += 1;
      const { agent, calledAs, path } = skills[i]!.installations[at]!;
      return { agent, calledAs, path, skill, folder };
    }),
  );
  called.sort((a, b) => a.folder - b.folder);
  return {
    agents: AGENTS.filter(({ name }) => agents.includes(name)).map(({ name, title }) => ({
      name,
      title,
      folders: folders.flatMap(({ agent, ...folder }, at) =>
        agent === name ? [{ ...folder, skills: counts[at]! }] : [],
      ),
      skills: new Set(called.filter(({ agent }) => agent === name).map(({ skill }) => skill)).size,
    })),
    skills,
    collisions: findCollisions(called),
    problems: problems.map(({ hidingFolders: _, ...problem }) => problem),
  };
}

/**
 * The folders in which the agents of this machine look for skills: those of projects from the working folder up to the
 * repository's root, of the user, of plugins, and of the machine. Only folders that exist; a folder that several agents
 * read is there once for each.
 *
 * @returns by agent in the order of `AGENTS`, and for each in the order in which it takes skills of the same name
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @example
 * const folders = await installedSkillFolders({ agents: ['claude-code', 'codex'] });
 */
export async function installedSkillFolders(options: InstalledOptions = {}): Promise<readonly InstalledFolder[]> {
  // Whoever only asks for the names of agents needs none of what finds folders.
  const { findFolders } = await import('./find-folders.js');
  return (await findFolders(options)).folders;
}
