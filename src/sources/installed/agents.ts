import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import {
  checkNames,
  checkOptions,
  dataFile,
  describeValue,
  folderOf,
  isInside,
  joinPaths,
  namesOf,
  nearestName,
  SkillSearchError,
  type Surroundings,
  surroundings,
} from '../../core/index.js';
import type { SkillScope } from '../../skill.js';

/** A program that reads skills from folders. */
export interface Agent {
  /** A slug, the same that installers use: `claude-code`. */
  readonly name: string;
  /** What it calls itself: `Claude Code`. */
  readonly title: string;
  /** Folders of a project, as paths from its root with `/`. Of skills with the same name it takes the first. */
  readonly projectFolders: readonly string[];
  /** Scopes, in the order in which it takes skills of the same name from them. */
  readonly scopes: readonly SkillScope[];
  /** Which skills of the same name it takes: the first that it finds, or all of them. */
  readonly sameName: 'first' | 'all';
  /** Whether it calls a skill of a plugin `plugin:skill`. */
  readonly prefixesPlugins: boolean;
  /** Whether it is looked for only if it is asked for by its name. */
  readonly onlyByName: boolean;
  /** Absolute paths of the user's folders, in the order in which it takes skills from them. */
  userFolders(of: Surroundings): readonly string[];
  /** Absolute paths of folders of the machine, and of those that the agent fills itself. */
  systemFolders(of: Surroundings): readonly string[];
  /** Absolute paths: if there is something at one of them, the agent is on this machine. */
  marks(of: Surroundings): readonly string[];
  /** Files and folders of a project, with `/`, that only those have who use this agent. */
  readonly projectMarks: readonly string[];
  /** The folder of its own in which it keeps what it needs, absolute. */
  ownFolder(of: Surroundings): string;
}

/** The folder that agents share. What lies in it belongs to no agent alone, so it has an entry of its own. */
export const SHARED_AGENT = 'universal';

/**
 * An agent in `data/agents.json`: facts of `vercel-labs/skills` (`src/agents.ts`) and of the agents' own pages, as of
 * November 2026. Paths: `~` is the home folder, `$config` what XDG_CONFIG_HOME says, or `~/.config`, on every platform;
 * `@` is the agent's own folder, `%NAME%` what a variable says.
 */
interface Entry {
  readonly title: string;
  /** The agent's own folder. */
  readonly own: string;
  /** A variable of the environment that names the own folder instead. */
  readonly variable?: string;
  readonly project: readonly string[];
  /** @default `@/skills` */
  readonly user?: readonly string[];
  readonly system?: readonly string[];
  /** The same where it differs. @default as `system` */
  readonly systemOn?: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>>;
  /** @default `@` */
  readonly marks?: readonly string[];
  readonly projectMarks?: readonly string[];
  readonly scopes?: readonly SkillScope[];
  readonly prefixesPlugins?: true;
  readonly sameName?: 'all';
  readonly onlyByName?: true;
}

const TABLE = JSON.parse(readFileSync(dataFile('agents.json'), 'utf8')) as Readonly<Record<string, Entry>>;

/** Every agent that is known, in the order in which reports list them: the most used ones first. */
export const AGENTS: readonly Agent[] = Object.entries(TABLE).map(([name, entry]) => agentOf(name, entry));

function agentOf(name: string, entry: Entry): Agent {
  const { title, own, variable = '', project, user = ['@/skills'], system = [], marks = ['@'] } = entry;
  const ownFolder = (of: Surroundings): string => folderOf(of, variable) ?? folderAt(of, own, '')!;
  const folders =
    (paths: readonly string[]) =>
    (of: Surroundings): readonly string[] =>
      paths.flatMap((path) => folderAt(of, path, ownFolder(of)) ?? []);
  return {
    name,
    title,
    projectFolders: project,
    scopes: entry.scopes ?? ['project', 'user', 'plugin', 'system'],
    sameName: entry.sameName ?? 'first',
    prefixesPlugins: entry.prefixesPlugins === true,
    onlyByName: entry.onlyByName === true,
    projectMarks: entry.projectMarks ?? [],
    ownFolder,
    userFolders: folders(user),
    systemFolders: (of) => folders(entry.systemOn?.[of.platform] ?? system)(of),
    marks: folders(marks),
  };
}

/** The path that an entry of the table means; undefined if it begins with a variable that is not set. */
function folderAt(of: Surroundings, path: string, own: string): string | undefined {
  const [first = '', ...rest] = path.split('/');
  if (first === '') return path;
  if (/^[A-Z]:$/.test(first)) return path.replaceAll('/', '\\');
  const config = (): string => folderOf(of, 'XDG_CONFIG_HOME') ?? joinPaths(of, of.home, '.config');
  const named: Readonly<Record<string, () => string | undefined>> = {
    '~': () => of.home,
    '@': () => own,
    $config: config,
  };
  const base = (named[first] ?? (() => folderOf(of, first.slice(1, -1))))();
  return base === undefined ? undefined : joinPaths(of, base, ...rest);
}

/** What an agent calls a skill: by its name, or `plugin:skill` if it belongs to a plugin and the agent does so. */
export function calledAs(agent: string, plugin: string | undefined, name: string): string {
  const isPrefixed = plugin !== undefined && TABLE[agent]?.prefixesPlugins === true;
  return isPrefixed ? `${plugin}:${name}` : name;
}

/** Something in an agent's folders that could not be read, or was not followed. */
export interface AgentProblem {
  /** Absolute path. */
  readonly path: string;
  /** One line, for people. */
  readonly message: string;
  /** Whether skills may lie there that nobody can name now. */
  readonly hidesSkills?: true;
}

/** A path as people write it: `~` for the home folder, and `/`. */
export function shownPath(path: string, home: string): string {
  if (home === '' || !isInside(path, home)) return path;
  const inside = relative(home, path).split(sep).join('/');
  return inside === '' ? '~' : `~/${inside}`;
}

/** Folders of an agent instead of those that it usually has. A kind that is left out stays as it is. */
export interface AgentFolders {
  /** Paths from the root of a project, with `/`. */
  readonly project?: readonly string[] | undefined;
  /** Absolute paths. */
  readonly user?: readonly string[] | undefined;
  /** Absolute paths. */
  readonly system?: readonly string[] | undefined;
}

/** Where installed skills are looked for. */
export interface InstalledOptions {
  /** The working folder: projects are looked for from here upwards. @default that of the process */
  readonly cwd?: string | undefined;
  /** The user's home folder. @default that of the process */
  readonly home?: string | undefined;
  /**
   * The environment: `XDG_CONFIG_HOME`, `CODEX_HOME`, `CLAUDE_CONFIG_DIR` and their like. @default that of the process
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whose paths are meant. @default that of the process */
  readonly platform?: NodeJS.Platform | undefined;
  /**
   * Names of agents, as `AGENTS` has them; these are looked for even if nothing says that they are on this machine.
   *
   * @default every agent that is on this machine, and the folders that agents share
   */
  readonly agents?: readonly string[] | undefined;
  /** Other folders for some agents, by their names. */
  readonly folders?: Readonly<Record<string, AgentFolders>> | undefined;
}

const OPTIONS = namesOf<InstalledOptions>({
  cwd: true,
  home: true,
  env: true,
  platform: true,
  agents: true,
  folders: true,
});
const FOLDERS = namesOf<AgentFolders>({ project: true, user: true, system: true });

/**
 * Checks the options of a call.
 *
 * @returns the surroundings: what is left out is that of the process
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function checkInstalledOptions(options: InstalledOptions): Surroundings {
  checkOptions(options, OPTIONS);
  const { cwd, home, env, platform, agents, folders = {} } = options;
  for (const [name, value] of Object.entries({ cwd, home, platform })) {
    if (value !== undefined && (typeof value !== 'string' || value === '' || value.includes('\0'))) {
      throw invalid(name, 'a text that is not empty', value);
    }
  }
  if (env !== undefined && (typeof env !== 'object' || env === null)) throw invalid('env', 'an object', env);
  if (agents !== undefined && !Array.isArray(agents)) throw invalid('agents', 'an array of names', agents);
  for (const agent of [...(agents ?? []), ...Object.keys(folders)]) checkAgent(agent);
  for (const [agent, kinds] of Object.entries(folders)) {
    const name = `folders.${agent}`;
    checkNames(kinds, FOLDERS, { name, code: 'INVALID_OPTION' });
    for (const [kind, paths = []] of Object.entries(kinds)) {
      const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string' && !path.includes('\0'));
      if (!isList) throw invalid(`${name}.${kind}`, 'an array of paths', paths);
    }
  }
  return surroundings({ cwd, home, env, platform } as Partial<Surroundings>);
}

function checkAgent(given: unknown): void {
  const names = Object.keys(TABLE);
  if (names.includes(given as string)) return;
  const nearest = typeof given === 'string' ? nearestName(given, names) : undefined;
  const advice = nearest === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new SkillSearchError('INVALID_OPTION', `unknown agent ${describeValue(given)}: ${advice}`, {
    parameter: 'agents',
  });
}

function invalid(name: string, expected: string, value: unknown): SkillSearchError {
  const message = `${name} must be ${expected}, got ${describeValue(value)}`;
  return new SkillSearchError('INVALID_OPTION', message, { parameter: name });
}

/**
 * A text that is the same where options lead to the same folders. Of the environment only what the paths of agents are
 * made of counts: each agent starts its servers with variables of its own.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function installedKey(options: InstalledOptions): string {
  const of = checkInstalledOptions(options);
  const paths = AGENTS.map((agent) => [
    agent.ownFolder(of),
    agent.marks(of),
    agent.userFolders(of),
    agent.systemFolders(of),
  ]);
  return JSON.stringify([of.platform, resolve(of.home), resolve(of.cwd), options.agents, options.folders, paths]);
}
