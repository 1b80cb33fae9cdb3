import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { LockChoice } from '../agents/index.js';
import { AGENTS, SHARED_AGENT, type Surroundings } from '../sources/index.js';
import { parsePath } from './common-options.js';

/** Where skills are installed, as `install` is told. */
export interface PlaceFlags {
  readonly to?: string;
  readonly project?: true;
}

/** Where `install` writes. */
export interface InstallTarget {
  readonly to: string;
  readonly lock: LockChoice;
  /** The project whose folder must not be left by a link. */
  readonly within?: string;
}

export function toOption(description: string): Option {
  return new Option('--to <folder>', description).argParser(parsePath);
}

export function projectOption(description: string): Option {
  return new Option('--project', description);
}

/** `--agent`, with the name of an agent of the table. */
export function agentNameOption(description: string): Option {
  return new Option('--agent <name>', description).argParser((name: string) => {
    if (AGENTS.some((agent) => agent.name === name)) return name;
    throw new InvalidArgumentError(`Agents are ${AGENTS.map((agent) => agent.name).join(', ')}.`);
  });
}

/**
 * The folder that an agent reads, or that agents share; in the working folder with `project`.
 *
 * @throws Error if the agent has no such folder
 */
export function targetOf(flags: PlaceFlags & { readonly agent?: string }, of: Surroundings): InstallTarget {
  const { to, project, agent: name = SHARED_AGENT } = flags;
  const lock = project === true ? projectLock(of) : userLock(of);
  if (to !== undefined) {
    const folder = resolve(of.cwd, to);
    if (project === true) return { to: folder, lock, within: of.cwd };
    return { to: folder, lock: { path: join(folder, 'skills-lock.json'), form: 'project' } };
  }
  const agent = AGENTS.find((one) => one.name === name)!;
  const [folder] = project === true ? agent.projectFolders : agent.userFolders(of);
  if (folder === undefined) {
    throw new Error(`${agent.title} reads no skills of ${project === true ? 'a project' : 'a user'}: give --to FOLDER`);
  }
  return project === true ? { to: join(of.cwd, folder), lock, within: of.cwd } : { to: folder, lock };
}

function projectLock({ cwd }: Surroundings): LockChoice {
  return { path: join(cwd, 'skills-lock.json'), form: 'project' };
}

/** Where `npx skills` has it. */
function userLock({ env, home }: Surroundings): LockChoice {
  const state = env['XDG_STATE_HOME'];
  const folder = state === undefined || state === '' ? join(home, '.agents') : join(state, 'skills');
  return { path: join(folder, '.skill-lock.json'), form: 'user' };
}
