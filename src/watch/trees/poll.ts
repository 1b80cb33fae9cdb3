import type { Dirent } from 'node:fs';
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readAhead } from '../../core/index.js';
import { stateText } from '../../sources/index.js';
import { isWatchedInside, type TreeListener, type TreeWatch } from './watch-folders.js';

/** Folders that are looked at at the same time. */
const FOLDERS_AHEAD = 16;

/** A look waits so many times as long as the one before took, so that polling a large tree takes a tenth of a core. */
const PAUSE = 9;

/** What was found at a look: for each folder, by its path, what each name in it was. */
type Snapshot = Map<string, ReadonlyMap<string, string>>;

const FOLDER = 'folder';

/**
 * Looks at each file of a tree again and again. A folder that cannot be read, as when a network drive does not answer,
 * counts as it was.
 *
 * @param interval milliseconds between two looks, at least
 * @throws the system's error if the root cannot be read
 */
export async function pollTree(root: string, interval: number, listener: TreeListener): Promise<TreeWatch> {
  let known: Snapshot = new Map();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const look = async (onPath: (path: string) => void): Promise<void> => {
    const started = performance.now();
    const found: Snapshot = new Map();
    let level = [root];
    while (level.length > 0 && !closed) {
      const below: string[] = [];
      let at = 0;
      for await (const names of readAhead(level, FOLDERS_AHEAD, lookInto)) {
        const folder = level[at++]!;
        tellDifferences(folder, known.get(folder), names, onPath);
        found.set(folder, names);
        for (const [name, what] of names) if (what.startsWith(FOLDER)) below.push(join(folder, name));
      }
      level = below;
    }
    if (closed) return;
    known = found;
    const pause = Math.max(interval, (performance.now() - started) * PAUSE);
    const next = (): Promise<void> => look((path) => listener.onPath(path));
    timer = setTimeout(() => next().catch((error: unknown) => listener.onEnd(error)), pause);
  };

  /** What each name in a folder is now. */
  async function lookInto(folder: string): Promise<ReadonlyMap<string, string>> {
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isGone = code === 'ENOENT' || code === 'ENOTDIR';
      return (isGone ? undefined : known.get(folder)) ?? new Map();
    }
    const names = new Map<string, string>();
    for (const { name } of entries) {
      if (closed) break;
      if (!isWatchedInside(folder, name)) continue;
      const state = await lstat(join(folder, name)).catch(() => undefined);
      if (state === undefined) continue;
      if (state.isSymbolicLink()) listener.onLink();
      names.set(name, state.isDirectory() ? `${FOLDER} ${state.ino} ${state.mode}` : stateText(state));
    }
    return names;
  }

  await readdir(root);
  await look(() => {});
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Of a folder that was not known before, its parent's look tells. */
function tellDifferences(
  folder: string,
  before: ReadonlyMap<string, string> | undefined,
  now: ReadonlyMap<string, string>,
  onPath: (path: string) => void,
): void {
  if (before === undefined || before === now) return;
  for (const [name, what] of now) if (before.get(name) !== what) onPath(join(folder, name));
  for (const name of before.keys()) if (!now.has(name)) onPath(join(folder, name));
}

/**
 * Looks at one file again and again: it may be replaced by renaming, or lie behind a link, and one look costs nothing.
 * It is told of when two looks find the same, so nobody reads half of a file that is being written.
 *
 * @param interval milliseconds between two looks
 */
export async function watchFile(path: string, interval: number, listener: TreeListener): Promise<TreeWatch> {
  let told = await stateOf(path);
  let last = told;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const now = await stateOf(path);
    isLooking = false;
    if (now !== told && now === last && now !== GONE) {
      told = now;
      listener.onPath(path);
    }
    last = now;
  };
  const timer = setInterval(look, interval);
  return { close: () => clearInterval(timer) };
}

const GONE = '';

async function stateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? GONE : stateText(found);
}

/**
 * Numbers of file systems of Linux whose files others change without the system noticing: NFS, SMB (cifs and smb2),
 * 9p (folders of the host in WSL and in virtual machines), VirtualBox, Ceph, AFS, and those in user space (sshfs).
 */
const NETWORKS: ReadonlySet<number> = new Set([
  0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x01021997, 0x786f4256, 0x00c36400, 0x5346414f, 0x65735546,
]);

/** Whether a folder lies where the system cannot tell of changes, as far as it says so. */
export async function isOnNetwork(path: string): Promise<boolean> {
  if (process.platform === 'win32') return path.startsWith('\\\\');
  if (process.platform !== 'linux') return false;
  const found = await statfs(path).catch(() => undefined);
  return found !== undefined && NETWORKS.has(found.type >>> 0);
}
