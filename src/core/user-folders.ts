import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

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
  const base = BASES[of.platform] ?? BASES.linux;
  const folder = (variable: string, otherwise: string): string =>
    joinPaths(of, folderOf(of, variable) ?? otherwise, OURS);
  const { data, state, cache, config } = base(of);
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

type Base = Pick<UserFolders, 'data' | 'state' | 'cache' | 'config'>;

const BASES: { readonly linux: (of: Surroundings) => Base } & Partial<
  Record<NodeJS.Platform, (of: Surroundings) => Base>
> = {
  linux: (of) => ({
    data: joinPaths(of, of.home, '.local', 'share'),
    state: joinPaths(of, of.home, '.local', 'state'),
    cache: joinPaths(of, of.home, '.cache'),
    config: joinPaths(of, of.home, '.config'),
  }),
  darwin: (of) => {
    const support = joinPaths(of, of.home, 'Library', 'Application Support');
    const [state, cache] = [joinPaths(of, of.home, 'Library', 'Logs'), joinPaths(of, of.home, 'Library', 'Caches')];
    return { data: support, state, cache, config: support };
  },
  win32: (of) => {
    const local = folderOf(of, 'LOCALAPPDATA') ?? joinPaths(of, of.home, 'AppData', 'Local');
    const roaming = folderOf(of, 'APPDATA') ?? joinPaths(of, of.home, 'AppData', 'Roaming');
    return { data: local, state: local, cache: local, config: roaming };
  },
};

/** No home of Windows begins with a slash: such a one is made up, on a machine of another platform. */
function pathsOf({ platform, home }: Surroundings): typeof posix {
  return platform === 'win32' && !home.startsWith('/') ? win32 : posix;
}
