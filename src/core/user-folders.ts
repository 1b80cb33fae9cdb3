import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { realPathOrSelf } from './files.js';

/** Folders above the working folder, itself included, that are looked at for a project: no repository is so deep. */
const MAX_PROJECT_LEVELS = 64;

/** What a program knows of the machine it runs on. Injected in tests. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** Absolute path of the user's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working folder. */
  readonly cwd: string;
}

/** The folders of one user that are ours. All are absolute paths; none of them need exist. */
export interface UserFolders {
  /** Catalogues. Nothing else has what is in it. */
  readonly data: string;
  /** Logs, which may be deleted at any time. */
  readonly state: string;
  /** What is made again when it is missing. */
  readonly cache: string;
  /** Sockets. */
  readonly run: string;
  readonly config: string;
}

const OURS = 'skill-discovery';

/** The surroundings of this process, as far as they are not given. */
export function surroundings(overrides: Partial<Surroundings> = {}): Surroundings {
  const { platform = process.platform, env = process.env, home = homedir(), cwd = process.cwd() } = overrides;
  return { platform, home, env, cwd };
}

/**
 * Where this user's own files go. The variables of the XDG base directory specification are followed on every platform;
 * as it says, only if they are absolute.
 *
 * | | Linux | macOS | Windows |
 * | --- | --- | --- | --- |
 * | data | `~/.local/share` | `~/Library/Application Support` | `%LOCALAPPDATA%` |
 * | state | `~/.local/state` | `~/Library/Logs` | `%LOCALAPPDATA%` |
 * | cache | `~/.cache` | `~/Library/Caches` | `%LOCALAPPDATA%` |
 * | run | as state | as state | as state |
 * | config | `~/.config` | `~/Library/Application Support` | `%APPDATA%` |
 */
export function userFolders(of: Surroundings): UserFolders {
  const folder = (variable: string, otherwise: string): string =>
    joinPaths(of, folderOf(of, variable) ?? otherwise, OURS);
  const { data, state, cache, config } = baseFolders(of);
  return {
    data: folder('XDG_DATA_HOME', data),
    state: folder('XDG_STATE_HOME', state),
    cache: folder('XDG_CACHE_HOME', cache),
    run: folder('XDG_RUNTIME_DIR', folderOf(of, 'XDG_STATE_HOME') ?? state),
    config: folder('XDG_CONFIG_HOME', config),
  };
}

/** The folder that a variable of the environment names, if it is an absolute path. */
export function folderOf(of: Surroundings, variable: string): string | undefined {
  const value = of.env[variable]?.trim() ?? '';
  return pathsOf(of).isAbsolute(value) ? value : undefined;
}

/** Joins paths as the platform does. */
export function joinPaths(of: Surroundings, ...parts: readonly string[]): string {
  return pathsOf(of).join(...parts);
}

function baseFolders(of: Surroundings): Pick<UserFolders, 'data' | 'state' | 'cache' | 'config'> {
  const home = (...parts: readonly string[]): string => joinPaths(of, of.home, ...parts);
  if (of.platform === 'win32') {
    const local = folderOf(of, 'LOCALAPPDATA') ?? home('AppData', 'Local');
    return { data: local, state: local, cache: local, config: folderOf(of, 'APPDATA') ?? home('AppData', 'Roaming') };
  }
  if (of.platform === 'darwin') {
    const support = home('Library', 'Application Support');
    return { data: support, state: home('Library', 'Logs'), cache: home('Library', 'Caches'), config: support };
  }
  return {
    data: home('.local', 'share'),
    state: home('.local', 'state'),
    cache: home('.cache'),
    config: home('.config'),
  };
}

/** No home of Windows begins with a slash: such a one is made up, on a machine of another platform. */
function pathsOf({ platform, home }: Surroundings): typeof posix {
  return platform === 'win32' && !home.startsWith('/') ? win32 : posix;
}

/**
 * The folders whose skills belong to the project that somebody works in: the working folder and those above it, up to
 * the root of the repository, which is the nearest with a `.git`. Without a repository it is the working folder alone.
 *
 * The home folder, and what is above it, is never a project, even if it is a repository: what lies there is the user's.
 *
 * @param cwd real path
 * @param home real path
 * @returns the nearest first
 */
export async function projectLevels(cwd: string, home: string): Promise<string[]> {
  const notProjects = new Set(withParents(home));
  const levels: string[] = [];
  for (const at of withParents(cwd).slice(0, MAX_PROJECT_LEVELS)) {
    if (notProjects.has(at)) break;
    levels.push(at);
    const repository = await lstat(join(at, '.git')).catch(() => undefined);
    if (repository !== undefined) return levels;
  }
  return levels.slice(0, 1);
}

/** A path and those of the folders that it lies in, the innermost first. */
function withParents(path: string): string[] {
  const all = [path];
  for (let at = path; dirname(at) !== at; at = dirname(at)) all.push(dirname(at));
  return all;
}

/** File name of a catalogue of installed skills, in a folder of its own. */
const CATALOGUE = 'skills.db';

/** The catalogue of what is installed for the user, whatever the project. It need not exist. */
export function userCatalogue(of: Surroundings): string {
  return joinPaths(of, userFolders(of).data, CATALOGUE);
}

/** The folder with the catalogues of projects: a folder for each, named as `PROJECT_FOLDER` says. */
export function projectCatalogues(of: Surroundings): string {
  return joinPaths(of, userFolders(of).data, 'projects');
}

/** Names of the folders in {@link projectCatalogues}. */
export const PROJECT_FOLDER: RegExp = /^[0-9a-f]{16}$/;

/**
 * The catalogue of all that is installed as seen from a folder of a project, with what is the user's. It need not
 * exist.
 *
 * @param level real path of the folder
 */
export function projectCatalogue(of: Surroundings, level: string): string {
  const name = createHash('sha256').update(level).digest('hex').slice(0, 16);
  return joinPaths(of, projectCatalogues(of), name, CATALOGUE);
}

/**
 * The catalogue that a program in the working folder asks: that of the nearest folder of its project that has one, or
 * else the user's, which need not exist.
 */
export async function nearestCatalogue(of: Surroundings): Promise<string> {
  const levels = await projectLevels(await realPathOrSelf(of.cwd), await realPathOrSelf(of.home));
  return levels.map((level) => projectCatalogue(of, level)).find((path) => existsSync(path)) ?? userCatalogue(of);
}
