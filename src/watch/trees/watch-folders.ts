import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside, readAhead } from '../../core/index.js';
import { partByName, pathInside } from '../../sources/index.js';

/** Whether {@link watchTree} tells of every link. A watch of a whole tree tells only of those that change. */
export const SEES_ALL_LINKS: boolean = process.platform !== 'darwin' && process.platform !== 'win32';

/** Watches a tree in the way that suits the system. */
export const watchTree: WatchTree = SEES_ALL_LINKS ? watchFolders : watchRecursively;

/** Folders that are listed at the same time. */
const FOLDERS_AHEAD = 16;

/**
 * Watches each folder of a tree by itself: for systems that watch no trees, such as Linux. A folder tells of the files
 * in it, so these need no watch of their own.
 *
 * A folder is watched first and listed then, and one that appeared is reported after that: so nothing is missed that
 * came between. A folder that something happened to is closed with all below it, and watched again, because it may be
 * another folder of that name. The root tells of its own end under its own name, and then the watch ends: a folder that
 * is made there at once often gets the number of the one before (ext4), and nothing else says that it is another. A
 * folder in the root that has the name of the root looks the same, and ends the watch for nothing.
 *
 * @throws the system's error if it refuses one of them (`ENOSPC`: there are too many), or the root cannot be read
 */
async function watchFolders(root: string, listener: TreeListener): Promise<TreeWatch> {
  const watches = new FolderWatches(root, listener);
  try {
    await watches.start();
    return watches;
  } catch (error) {
    watches.close();
    throw error;
  }
}

class FolderWatches implements TreeWatch {
  readonly #root: string;
  readonly #listener: TreeListener;
  /** By the path of the folder. */
  readonly #watchers = new Map<string, FSWatcher>();
  #closed = false;
  /** Paths that something happened to, to be looked at one after the other. */
  readonly #waiting = new Set<string>();
  /** Folders that may not be read. */
  readonly #unreadable = new Set<string>();
  #looking: Promise<void> | undefined;

  constructor(root: string, listener: TreeListener) {
    this.#root = root;
    this.#listener = listener;
  }

  async start(): Promise<void> {
    if (!this.#watch(this.#root)) throw new Error(`${this.#root} is gone`);
    await readdir(this.#root);
    // Folders that something happens to meanwhile are looked at after it.
    this.#looking = this.#watchBelow(this.#root);
    await this.#looking;
    this.#looking = undefined;
    if (this.#closed) throw new Error(`${this.#root} is watched no more`);
    if (this.#waiting.size > 0) this.#lookAtWaiting();
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches one folder. @returns false if it is gone, or may not be read */
  #watch(path: string): boolean {
    try {
      const watcher = watch(path, (kind, name) => this.#onEvent(path, kind, name));
      watcher.on('error', (error) => this.#end(error));
      this.#watchers.get(path)?.close();
      this.#watchers.set(path, watcher);
      return true;
    } catch (error) {
      if (isRefusal(error)) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') this.#unreadable.add(path);
      return false;
    }
  }

  /** Watches all folders below one, level by level. */
  async #watchBelow(top: string): Promise<void> {
    let level = [top];
    while (level.length > 0 && !this.#closed) {
      const below: string[] = [];
      // One that is gone, or may not be read, has nothing that could be watched.
      const list = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => []);
      let at = 0;
      for await (const entries of readAhead(level, FOLDERS_AHEAD, list)) {
        const folder = level[at++]!;
        for (const entry of entries) {
          if (this.#closed) return;
          const path = join(folder, entry.name);
          if (entry.isSymbolicLink()) this.#listener.onLink();
          else if (entry.isDirectory() && isWatchedInside(folder, entry.name) && this.#watch(path)) below.push(path);
        }
      }
      level = below;
    }
  }

  #onEvent(folder: string, kind: string, name: string | null): void {
    if (this.#closed) return;
    if (name === null) {
      this.#listener.onLost();
      return;
    }
    if (kind === 'rename' && folder === this.#root && name === basename(folder)) {
      this.#end(new Error(`${folder} was deleted or renamed`));
      return;
    }
    if (!isWatchedInside(folder, name)) return;
    const path = join(folder, name);
    this.#listener.onPath(path);
    // What is only written to stays the folder that it was. What gets other rights may be one that can be read now.
    if (kind !== 'rename' && !this.#unreadable.has(path)) return;
    this.#waiting.add(path);
    this.#lookAtWaiting();
  }

  #lookAtWaiting(): void {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#end(error))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    for (const path of this.#waiting) {
      this.#waiting.delete(path);
      if (this.#closed) return;
      await this.#watchAgain(path);
    }
  }

  async #watchAgain(path: string): Promise<void> {
    if (this.#watchers.has(path)) {
      for (const [other, watcher] of this.#watchers) {
        if (!isInside(other, path)) continue;
        watcher.close();
        this.#watchers.delete(other);
      }
    }
    this.#unreadable.delete(path);
    const found = await lstat(path).catch(() => undefined);
    if (this.#closed || found === undefined || !this.#watchers.has(dirname(path))) return;
    if (found.isSymbolicLink()) this.#listener.onLink();
    if (!found.isDirectory() || !this.#watch(path)) return;
    await this.#watchBelow(path);
    // What came into it before it was watched.
    if (!this.#closed) this.#listener.onPath(path);
  }

  #end(error: unknown): void {
    if (this.#closed) return;
    this.close();
    this.#listener.onEnd(error);
  }
}

/**
 * Watches a tree by one watch: for macOS and Windows, which tell of everything below a folder.
 *
 * @throws the system's error if it refuses
 */
async function watchRecursively(root: string, listener: TreeListener): Promise<TreeWatch> {
  let closed = false;
  const watcher = watch(root, { recursive: true }, (kind, name) => {
    // Without a name: there was too much to tell.
    if (name === null) listener.onLost();
    else void tell(kind, join(root, name));
  });
  const close = (): void => {
    closed = true;
    watcher.close();
  };
  watcher.on('error', (error) => {
    if (closed) return;
    close();
    listener.onEnd(error);
  });

  async function tell(kind: string, path: string): Promise<void> {
    const names = pathInside(root, path).split('/');
    if (!names.every((name, at) => isWatchedInside(names[at - 1] ?? '', name))) return;
    const found = await lstat(path).catch(() => undefined);
    if (closed) return;
    if (found?.isSymbolicLink() === true) listener.onLink();
    // Windows tells of a folder, too, when something in it changes.
    if (kind !== 'change' || found?.isDirectory() !== true) listener.onPath(path);
  }
  return { close };
}

/** Whether an error says that the system can watch no more folders, or no files at all. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && REFUSALS.has(code);
}

const REFUSALS: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EMFILE',
  'ENFILE',
  'ENOSYS',
  'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
]);

/**
 * Whether what has this name in a folder may be a part of a skill, or say something about skills. Of a `.git` only the
 * files count that change when a commit is made, another branch is checked out, or a remote is set.
 *
 * @param folder path or name of the folder
 */
export function isWatchedInside(folder: string, name: string): boolean {
  if (basename(folder) === '.git') return TOLD_BY_GIT.has(name);
  return name === '.git' || partByName(name) !== 'none';
}

/** Not `index`: whoever only asks git for its state writes that, too. */
const TOLD_BY_GIT = new Set(['HEAD', 'ORIG_HEAD', 'COMMIT_EDITMSG', 'config']);

/** Told of what happens in a watched tree. */
export interface TreeListener {
  /** A file or folder changed, appeared or vanished. */
  onPath(path: string): void;
  /** Something was missed: anything may have changed. */
  onLost(): void;
  /** The tree is watched no more. */
  onEnd(error: unknown): void;
  /** A symbolic link is in the tree: what it leads to may lie where nobody watches. */
  onLink(): void;
}

/** Watches a folder with everything in it. */
export interface TreeWatch {
  /** May be called more than once. */
  close(): void;
}

/** Starts to watch a folder. From the moment that the promise is kept, no change is missed. */
export type WatchTree = (root: string, listener: TreeListener) => Promise<TreeWatch>;
