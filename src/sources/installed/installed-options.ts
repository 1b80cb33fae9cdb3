import { resolve } from 'node:path';
import {
  type Argument,
  checkNames,
  checkOptions,
  describeValue,
  type Names,
  namesOf,
  nearestName,
  SkillSearchError,
  type Surroundings,
  surroundings,
} from '../../core/index.js';
import { AGENTS } from './agents.js';

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

const OPTIONS: Names = namesOf<InstalledOptions>({
  cwd: true,
  home: true,
  env: true,
  platform: true,
  agents: true,
  folders: true,
});
const FOLDERS: Names = namesOf<AgentFolders>({ project: true, user: true, system: true });

/**
 * Checks the options of a call. What is left out is that of the process.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function checkInstalledOptions(options: InstalledOptions): Partial<Surroundings> {
  checkOptions(options, OPTIONS);
  const { cwd, home, env, platform, agents, folders } = options;
  for (const [name, value] of Object.entries({ cwd, home, platform })) {
    if (value !== undefined && (typeof value !== 'string' || value === '' || value.includes('\0'))) {
      throw invalid(name, 'a text that is not empty', value);
    }
  }
  if (env !== undefined && (typeof env !== 'object' || env === null)) throw invalid('env', 'an object', env);
  if (agents !== undefined) {
    if (!Array.isArray(agents)) throw invalid('agents', 'an array of names', agents);
    for (const agent of agents) checkAgent(agent);
  }
  for (const [agent, kinds] of Object.entries(folders ?? {})) {
    checkAgent(agent);
    const name = `folders.${agent}`;
    checkNames(kinds, FOLDERS, { name, code: 'INVALID_OPTION' } satisfies Argument);
    for (const [kind, paths] of Object.entries(kinds)) {
      const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string' && !path.includes('\0'));
      if (paths !== undefined && !isList) throw invalid(`${name}.${kind}`, 'an array of paths', paths);
    }
  }
  return {
    ...(cwd !== undefined && { cwd }),
    ...(home !== undefined && { home }),
    ...(env !== undefined && { env }),
    ...(platform !== undefined && { platform }),
  };
}

function checkAgent(given: unknown): void {
  if (AGENTS.some(({ name }) => name === given)) return;
  const names = AGENTS.map(({ name }) => name);
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
  const of = surroundings(checkInstalledOptions(options));
  const paths = AGENTS.map((agent) => [
    agent.ownFolder(of),
    agent.marks(of),
    agent.userFolders(of),
    agent.systemFolders(of),
  ]);
  return JSON.stringify([of.platform, resolve(of.home), resolve(of.cwd), options.agents, options.folders, paths]);
}
