import { existsSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  isInside,
  projectCatalogue,
  projectLevels,
  realPathOrSelf,
  type Surroundings,
  surroundings,
  userCatalogue,
} from '../../core/index.js';
import type { SkillScope } from '../../skill.js';
import { systemReason } from '../rows/texts.js';
import { AGENTS, type Agent, type AgentProblem, SHARED_AGENT } from './agents.js';
import { checkInstalledOptions, type InstalledOptions } from './installed-options.js';
import type { PluginPlace, Plugins } from './plugins.js';
import { claudePlugins, codexPlugins, copilotPlugins, geminiExtensions } from './plugins.js';

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
  const of = surroundings(checkInstalledOptions(options));
  return new FolderFinder(of, options.folders).find(of.cwd, options.agents);
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

/** What a path is: a folder, nothing, or a problem. */
interface Look {
  /** Real path of the folder. */
  readonly found?: string;
  readonly problem?: { readonly message: string; readonly hidesSkills: boolean };
}

/** Finds folders, as {@link findFolders}. It looks at each path once, from however many folders it is asked. */
class FolderFinder {
  readonly #of: Surroundings;
  readonly #folders: InstalledOptions['folders'];
  readonly #looks = new Map<string, Promise<Look>>();
  readonly #there = new Map<string, Promise<boolean>>();
  #problems = new Map<string, AgentProblem>();
  #home = '';

  constructor(of: Surroundings, folders?: InstalledOptions['folders']) {
    this.#of = of;
    this.#folders = folders;
  }

  /**
   * @param from the working folder
   * @param agents names of those that are asked for; undefined: those on this machine
   */
  async find(from: string, agents?: readonly string[]): Promise<FoundFolders> {
    this.#problems = new Map();
    this.#home = await realPathOrSelf(this.#of.home);
    const cwd = await realPathOrSelf(from);
    const levels = await projectLevels(cwd, this.#home);
    const present = await this.#present(levels, agents);
    const wanted = AGENTS.flatMap((agent) => this.#wantedOf(agent, levels, present.has(agent)));
    const plugins = await this.#plugins(cwd, levels);

    const users = await this.#resolve(wanted.filter(({ scope }) => scope !== 'project'));
    const projects = await this.#resolveProjects(
      wanted.filter(({ scope }) => scope === 'project'),
      new Set(users.values()),
    );
    const real = new Map([...users, ...projects]);
    const roots: readonly LinkRoot[] = [
      ...[...real.values()].map((path) => ({ path })),
      ...[...plugins.values()].flatMap(({ folders }) => folders),
    ];

    const chosen = AGENTS.filter((agent) => present.has(agent));
    const folders = chosen.flatMap((agent) =>
      byPrecedence(
        agent,
        wanted.filter((one) => one.agent === agent),
        real,
        plugins.get(agent)?.folders ?? [],
      ),
    );
    const own = new Set(
      wanted.filter(({ agent, path }) => present.has(agent) && real.has(path)).map((one) => one.level),
    );
    return {
      folders,
      agents: chosen.map(({ name }) => name),
      // One that several agents read is there once, as it was first found.
      roots: [...new Map([...roots].reverse().map((root) => [root.path, root])).values()].reverse(),
      problems: [...this.#problems.values(), ...[...plugins.values()].flatMap(({ problems }) => problems)],
      home: this.#home,
      level: levels.find(
        (level) => own.has(level) || chosen.some((agent) => plugins.get(agent)?.projects.includes(level)),
      ),
    };
  }

  /** The agents that are asked for, or that are on this machine. */
  async #present(levels: readonly string[], agents: readonly string[] | undefined): Promise<ReadonlySet<Agent>> {
    if (agents !== undefined) return new Set(AGENTS.filter(({ name }) => agents.includes(name)));
    const found = await Promise.all(AGENTS.map((agent) => this.#isPresent(agent, levels)));
    return new Set(AGENTS.filter((_, at) => found[at]));
  }

  async #isPresent(agent: Agent, levels: readonly string[]): Promise<boolean> {
    if (agent.name === SHARED_AGENT) return true;
    if (agent.onlyByName) return false;
    if (this.#folders?.[agent.name] !== undefined) return true;
    const marks = [
      ...agent.marks(this.#of),
      ...levels.flatMap((level) => [...agent.projectMarks, ...ownFolders(agent)].map((mark) => join(level, mark))),
    ];
    for (const mark of marks) if (await this.#isThere(mark)) return true;
    return false;
  }

  #wantedOf(agent: Agent, levels: readonly string[], isChosen: boolean): Wanted[] {
    const other = this.#folders?.[agent.name];
    const project = other?.project ?? agent.projectFolders;
    // `skills` of a project is a folder like any other, unless the agent is there that looks into it.
    const inProject = project.filter((folder) => isChosen || folder.startsWith('.'));
    const want = (scope: SkillScope, paths: readonly string[]): Wanted[] =>
      paths.map((path) => ({ agent, scope, path: resolve(path) }));
    return [
      ...levels.flatMap((level) =>
        inProject.map((folder) => ({ ...want('project', [join(level, folder)])[0]!, level })),
      ),
      ...want('user', other?.user ?? agent.userFolders(this.#of)),
      ...want('system', other?.system ?? agent.systemFolders(this.#of)),
    ];
  }

  async #plugins(cwd: string, levels: readonly string[]): Promise<ReadonlyMap<Agent, Plugins>> {
    const found = new Map<Agent, Plugins>();
    for (const agent of AGENTS) {
      const own = agent.ownFolder(this.#of);
      const system = this.#folders?.[agent.name]?.system ?? agent.systemFolders(this.#of);
      const plugins = await PLUGINS[agent.name]?.({ own, system, cwd, levels });
      if (plugins !== undefined) found.set(agent, plugins);
    }
    return found;
  }

  /** Real paths of those that exist. */
  async #resolve(wanted: readonly Wanted[]): Promise<Map<string, string>> {
    const real = new Map<string, string>();
    for (const { path } of wanted) {
      const found = await this.#look(path);
      if (found === undefined) continue;
      if (isInside(this.#home, found)) this.#note(path, 'is a link to the home folder or above it, so it is not read');
      else real.set(path, found);
    }
    return real;
  }

  /** The same of folders of a project. A link counts only if it leads into a folder that an agent has anyway. */
  async #resolveProjects(wanted: readonly Wanted[], users: ReadonlySet<string>): Promise<Map<string, string>> {
    const real = new Map<string, string>();
    const linked: [path: string, found: string][] = [];
    for (const { path } of wanted) {
      const found = await this.#look(path);
      // Where names differ in case only, the system tells how they are written on the disk.
      if (found?.toLowerCase() === path.toLowerCase()) real.set(path, found);
      else if (found !== undefined) linked.push([path, found]);
    }
    const direct = [...real.values(), ...users];
    for (const [path, found] of linked) {
      if (direct.some((root) => isInside(found, root))) real.set(path, found);
      else this.#note(path, "a link that leads out of the agents' folders");
    }
    return real;
  }

  /** The real path of a folder; undefined if there is none. */
  async #look(path: string): Promise<string | undefined> {
    const look = this.#looks.get(path) ?? lookAt(path);
    this.#looks.set(path, look);
    const { found, problem } = await look;
    if (problem !== undefined) this.#note(path, problem.message, problem.hidesSkills);
    return found;
  }

  #isThere(path: string): Promise<boolean> {
    const isThere =
      this.#there.get(path) ??
      lstat(path).then(
        () => true,
        () => false,
      );
    this.#there.set(path, isThere);
    return isThere;
  }

  #note(path: string, message: string, hidesSkills = false): void {
    this.#problems.set(path, { path, message, ...(hidesSkills && { hidesSkills: true as const }) });
  }
}

/** By agent, what finds its plugins. */
const PLUGINS: Readonly<Record<string, (place: PluginPlace) => Promise<Plugins>>> = {
  'claude-code': claudePlugins,
  codex: codexPlugins,
  'github-copilot': copilotPlugins,
  'gemini-cli': geminiExtensions,
};

async function lookAt(path: string): Promise<Look> {
  try {
    const found = await realpath(path);
    if ((await stat(found)).isDirectory()) return { found };
    return { problem: { message: 'is not a folder', hidesSkills: false } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') return { problem: { message: 'a link that leads in a circle', hidesSkills: false } };
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    return { problem: { message: `cannot be read: ${systemReason(error)}`, hidesSkills: true } };
  }
}

/** Folders of a project that only this agent, or one made like it, has. */
function ownFolders({ projectFolders: [first = ''], name }: Agent): string[] {
  const isOwn = first.startsWith('.') && AGENTS.find((agent) => agent.projectFolders[0] === first)?.name === name;
  return isOwn && first !== SHARED_FOLDER ? [first] : [];
}

const SHARED_FOLDER = AGENTS.find(({ name }) => name === SHARED_AGENT)!.projectFolders[0];

/** The folders of an agent that exist, in the order in which it takes skills from them, each once. */
function byPrecedence(
  agent: Agent,
  wanted: readonly Wanted[],
  real: ReadonlyMap<string, string>,
  plugins: Plugins['folders'],
): InstalledFolder[] {
  const ofPlugins = plugins.map((folder) => ({ ...folder, agent: agent.name, scope: 'plugin' as const }));
  const inScope = (scope: SkillScope): InstalledFolder[] =>
    wanted
      .filter((one) => one.scope === scope && real.has(one.path))
      .map(({ path }) => ({ path: real.get(path)!, agent: agent.name, scope }));
  const all = agent.scopes.flatMap((scope) => (scope === 'plugin' ? ofPlugins : inScope(scope)));
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
  const finder = new FolderFinder(of);
  const { level: nearest } = await finder.find(cwd);
  const level = levels.find((one) => one === nearest || existsSync(projectCatalogue(of, one)));
  const place =
    level === undefined
      ? { database: userCatalogue(of), cwd: home }
      : { database: projectCatalogue(of, level), cwd: level };
  return { ...place, found: await finder.find(place.cwd, agents) };
}
