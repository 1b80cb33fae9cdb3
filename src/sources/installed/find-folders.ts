import { existsSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  isInside,
  projectCatalogue,
  projectLevels,
  realPathOrSelf,
  type Surroundings,
  userCatalogue,
} from '../../core/index.js';
import type { SkillScope } from '../../skill.js';
import { systemReason } from '../rows/texts.js';
import {
  AGENTS,
  type Agent,
  type AgentProblem,
  checkInstalledOptions,
  type InstalledOptions,
  SHARED_AGENT,
} from './agents.js';
import { type Plugins, pluginsOf } from './plugins.js';

/** A folder in which an agent looks for skills: it holds many, or is a skill itself. */
export interface InstalledFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** Name of the agent. */
  readonly agent: string;
  readonly scope: SkillScope;
  /** Name of the plugin that it belongs to. */
  readonly plugin?: string;
}

/** A folder that links may lead into. */
export interface LinkRoot {
  /** Real path. */
  readonly path: string;
  /** The plugin that it belongs to, if it does. */
  readonly plugin?: string;
}

/** What is known before any folder with skills is listed. */
export interface FoundFolders {
  /** By agent in the order of `AGENTS`; those of an agent in the order in which it takes skills from them. */
  readonly folders: readonly InstalledFolder[];
  /** Names of the agents that were looked for: those asked for, or those on this machine. */
  readonly agents: readonly string[];
  /** The folders of all agents, chosen or not. Links to skills may lead into these. */
  readonly roots: readonly LinkRoot[];
  readonly problems: readonly AgentProblem[];
  /** Real path of the home folder, to shorten paths that are shown. */
  readonly home: string;
  /** Real path of the nearest folder of the project that has skills, or plugins, of its own. */
  readonly level: string | undefined;
}

/** A folder of an agent as the table has it, before anybody has looked. */
interface Wanted {
  readonly agent: Agent;
  readonly scope: SkillScope;
  /** Absolute. */
  readonly path: string;
  /** The folder of the project that it lies in. */
  readonly level?: string;
}

/**
 * Finds the folders in which the agents of this machine look for skills, as far as they exist. Lists none of them, and
 * reads nothing but the lists of plugins.
 *
 * A folder of the user may be a link: whoever made it chose where. A folder of a project may be one only if it leads
 * into a folder of an agent, since others made the project.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export async function findFolders(options: InstalledOptions = {}): Promise<FoundFolders> {
  const of = checkInstalledOptions(options);
  const { agents: asked, folders: others = {} } = options;
  const home = await realPathOrSelf(of.home);
  const cwd = await realPathOrSelf(of.cwd);
  const levels = await projectLevels(cwd, home);

  const isPresent = await Promise.all(
    AGENTS.map((agent) => asked?.includes(agent.name) ?? (agent.name in others || isOnMachine(agent, of, levels))),
  );
  const chosen = AGENTS.filter((agent, i) => isPresent[i] === true && (asked !== undefined || !agent.onlyByName));
  const wanted = AGENTS.flatMap((agent) => wantedOf(agent, of, levels, others[agent.name], chosen.includes(agent)));
  const plugins = new Map<Agent, Plugins>();
  for (const agent of AGENTS) {
    const system = others[agent.name]?.system ?? agent.systemFolders(of);
    const found = await pluginsOf(agent.name, { own: agent.ownFolder(of), system, cwd, levels });
    if (found !== undefined) plugins.set(agent, found);
  }

  const { real, problems } = await resolveAll(wanted, home);
  const roots: readonly LinkRoot[] = [
    ...[...real.values()].map((path) => ({ path })),
    ...[...plugins.values()].flatMap(({ folders }) => folders),
  ];
  const isOwn = (level: string): boolean =>
    wanted.some((one) => one.level === level && chosen.includes(one.agent) && real.has(one.path)) ||
    chosen.some((agent) => plugins.get(agent)?.projects.has(level));
  return {
    folders: chosen.flatMap((agent) => byPrecedence(agent, wanted, real, plugins.get(agent)?.folders ?? [])),
    agents: chosen.map(({ name }) => name),
    // One that several agents read is there once, as it was first found.
    roots: [...new Map([...roots].reverse().map((root) => [root.path, root])).values()].reverse(),
    problems: [...problems, ...[...plugins.values()].flatMap((found) => found.problems)],
    home,
    level: levels.find(isOwn),
  };
}

async function isOnMachine(agent: Agent, of: Surroundings, levels: readonly string[]): Promise<boolean> {
  if (agent.name === SHARED_AGENT) return true;
  const inProject = [...agent.projectMarks, ...ownProjectFolders(agent)];
  const marks = [...agent.marks(of), ...levels.flatMap((level) => inProject.map((mark) => join(level, mark)))];
  for (const mark of marks) if ((await lstat(mark).catch(() => undefined)) !== undefined) return true;
  return false;
}

/** Folders of a project that only this agent, or one made like it, has. */
function ownProjectFolders({ projectFolders: [first = ''], name }: Agent): string[] {
  const isOwn = first.startsWith('.') && AGENTS.find((agent) => agent.projectFolders[0] === first)?.name === name;
  return isOwn && first !== SHARED_FOLDER ? [first] : [];
}

const SHARED_FOLDER = AGENTS.find(({ name }) => name === SHARED_AGENT)!.projectFolders[0];

function wantedOf(
  agent: Agent,
  of: Surroundings,
  levels: readonly string[],
  other: NonNullable<InstalledOptions['folders']>[string] | undefined,
  isChosen: boolean,
): Wanted[] {
  const want = (scope: SkillScope, paths: readonly string[], level?: string): Wanted[] =>
    paths.map((path) => ({ agent, scope, path: resolve(path), ...(level !== undefined && { level }) }));
  // `skills` of a project is a folder like any other, unless the agent is there that looks into it.
  const inProject = (other?.project ?? agent.projectFolders).filter((folder) => isChosen || folder.startsWith('.'));
  return [
    ...levels.flatMap((level) =>
      want(
        'project',
        inProject.map((folder) => join(level, folder)),
        level,
      ),
    ),
    ...want('user', other?.user ?? agent.userFolders(of)),
    ...want('system', other?.system ?? agent.systemFolders(of)),
  ];
}

/** The real paths of those folders that exist. A link of a project counts only if it leads into one of an agent. */
async function resolveAll(
  wanted: readonly Wanted[],
  home: string,
): Promise<{ readonly real: ReadonlyMap<string, string>; readonly problems: Iterable<AgentProblem> }> {
  const [users, projects] = [new Map<string, string>(), new Map<string, string>()];
  const problems = new Map<string, AgentProblem>();
  const note = (path: string, message: string, more: { hidesSkills?: true } = {}): unknown =>
    problems.set(path, { path, message, ...more });
  const linked: [path: string, found: string][] = [];
  const seen = new Set<string>();
  // Those of the user come first: links of a project may lead into them.
  const inOrder = [...wanted].sort((a, b) => Number(a.scope === 'project') - Number(b.scope === 'project'));
  for (const { path, scope } of inOrder) {
    if (seen.has(path)) continue;
    seen.add(path);
    try {
      const found = await realpath(path);
      const isProject = scope === 'project';
      if (!(await stat(found)).isDirectory()) note(path, 'is not a folder');
      else if (!isProject && isInside(home, found)) {
        note(path, 'is a link to the home folder or above it, so it is not read');
      } else if (!isProject) users.set(path, found);
      // Where names differ in case only, the system tells how they are written on the disk.
      else if (found.toLowerCase() === path.toLowerCase()) projects.set(path, found);
      else linked.push([path, found]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') note(path, 'a link that leads in a circle');
      else if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        note(path, `cannot be read: ${systemReason(error)}`, { hidesSkills: true });
      }
    }
  }
  const direct = [...projects.values(), ...users.values()];
  for (const [path, found] of linked) {
    if (direct.some((root) => isInside(found, root))) projects.set(path, found);
    else note(path, "a link that leads out of the agents' folders");
  }
  return { real: new Map([...users, ...projects]), problems: problems.values() };
}

/** The folders of an agent that exist, in the order in which it takes skills from them, each once. */
function byPrecedence(
  agent: Agent,
  wanted: readonly Wanted[],
  real: ReadonlyMap<string, string>,
  plugins: Plugins['folders'],
): InstalledFolder[] {
  const { name } = agent;
  const all = agent.scopes.flatMap((scope): InstalledFolder[] =>
    scope === 'plugin'
      ? plugins.map((folder) => ({ ...folder, agent: name, scope }))
      : wanted
          .filter((one) => one.agent === agent && one.scope === scope && real.has(one.path))
          .map(({ path }) => ({ path: real.get(path)!, agent: name, scope })),
  );
  return all.filter(
    ({ path, plugin }, at) => all.findIndex((one) => one.path === path && one.plugin === plugin) === at,
  );
}

/** A catalogue of installed skills, and the folder from which they are looked for. */
export interface InstalledPlace {
  /** Absolute. */
  readonly database: string;
  readonly cwd: string;
  /** The folders with skills that are seen from there. */
  readonly found: FoundFolders;
}

/**
 * Where the skills that are installed in the working folder have their catalogue.
 *
 * A catalogue has what is seen from one folder, so that nobody prunes what somebody else sees elsewhere: the folder of
 * a project that has skills of its own and is nearest, or else the home folder. A folder that has a catalogue keeps it
 * when its skills go, or they would stay in there for good.
 *
 * @param agents whose folders are found; they do not decide where the catalogue is. Undefined: all on this machine
 */
export async function installedPlace(of: Surroundings, agents?: readonly string[]): Promise<InstalledPlace> {
  const { home, cwd } = of;
  const levels = await projectLevels(await realPathOrSelf(cwd), await realPathOrSelf(home));
  const { level: nearest } = await findFolders(of);
  const level = levels.find((one) => one === nearest || existsSync(projectCatalogue(of, one)));
  const place =
    level === undefined
      ? { database: userCatalogue(of), cwd: home }
      : { database: projectCatalogue(of, level), cwd: level };
  return { ...place, found: await findFolders({ ...of, cwd: place.cwd, agents }) };
}
