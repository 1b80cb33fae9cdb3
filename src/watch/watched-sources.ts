import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isInside } from '../core/index.js';
import type { FoundInstalledSource, InstalledSource, Source } from '../load/index.js';
import { type FoundFolders, findFolders, type InstalledOptions } from '../sources/index.js';
import type { WatchProblem } from './index.js';
import { isOnNetwork, pollTree, watchFile } from './trees/poll.js';
import { isRefusal, SEES_ALL_LINKS, type TreeListener, type TreeWatch, watchTree } from './trees/watch-folders.js';

/** A source that is watched. */
export interface WatchedSource {
  /** As people call it. */
  readonly name: string;
  /** What a load is given. */
  readonly toLoad: Source;
  /** Whether it was there when somebody looked last. */
  readonly isThere: boolean;
  /**
   * The folders whose skills can be read one by one when they change: absolute, without links. Undefined if the source
   * must be read as a whole.
   */
  readonly roots: readonly string[] | undefined;
  /** Starts to watch, or notes that it is not there. From then on no change is missed. */
  start(): Promise<void>;
  /** Whether what is watched is still what lies there now. If not, what it told means nothing. */
  isSame(): Promise<boolean>;
  /** Looks whether it is still the same, and watches it again if it is not. One call at a time. */
  look(): Promise<void>;
  close(): void;
}

/** Told of what happens in a source. */
export interface SourceListener {
  onPath(source: WatchedSource, path: string): void;
  onEverything(source: WatchedSource): void;
  onProblem(problem: WatchProblem): void;
}

/** How sources are watched. */
export interface Polling {
  readonly always: boolean;
  /** Milliseconds between two looks, at least. */
  readonly interval: number;
}

/** Milliseconds between two looks at a file that is a source. */
const FILE_INTERVAL = 500;

/**
 * A folder or file that is watched. It may vanish and come back, as a drive does: then it is watched anew, and all of
 * it counts as changed.
 */
export class WatchedPath implements WatchedSource {
  /** As it was given. */
  readonly name: string;
  readonly #isFolder: boolean;
  /** Whether links were seen in it: what changes behind one may belong to a skill elsewhere. */
  #hasLinks = false;
  readonly #path: string;
  readonly #polling: Polling;
  readonly #listener: SourceListener;
  #root: string;
  #tree: TreeWatch | undefined;
  /** Which file or folder is watched; undefined while none is. */
  #identity: string | undefined;
  #isMissing = false;
  #isPolled = false;
  #closed = false;

  /** @param path absolute */
  constructor(name: string, path: string, isFolder: boolean, polling: Polling, listener: SourceListener) {
    this.name = name;
    this.#path = path;
    this.#root = path;
    this.#isFolder = isFolder;
    this.#polling = polling;
    this.#listener = listener;
  }

  /** As it was given, unless the process has changed its folder. */
  get toLoad(): string {
    return resolve(this.name) === this.#path ? this.name : this.#path;
  }

  get roots(): readonly string[] | undefined {
    return this.#isFolder && !this.#hasLinks ? [this.#root] : undefined;
  }

  /** Whether nobody has seen a link in it who would have seen any. */
  get hasNoLinks(): boolean {
    return !this.#hasLinks && (this.#isPolled || SEES_ALL_LINKS);
  }

  get isThere(): boolean {
    return !this.#isMissing;
  }

  async start(): Promise<void> {
    const identity = await identityOf(this.#path, this.#isFolder);
    if (identity === undefined) {
      this.#miss();
      return;
    }
    try {
      this.#root = await realpath(this.#path);
      const tree = await this.#watch();
      if (this.#closed) {
        tree.close();
        return;
      }
      this.#tree = tree;
      this.#identity = identity;
    } catch {
      // It went away meanwhile, or cannot be read now.
      this.#miss();
      return;
    }
    if (!this.#isMissing) return;
    this.#isMissing = false;
    this.#report('source-back', 'is there again');
  }

  async isSame(): Promise<boolean> {
    const identity = await identityOf(this.#path, this.#isFolder);
    return identity !== undefined && identity === this.#identity;
  }

  async look(): Promise<void> {
    if (this.#closed || (await this.isSame()) || this.#closed) return;
    this.#end();
    await this.start();
    if (this.#identity !== undefined && !this.#closed) this.#listener.onEverything(this);
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  #end(): void {
    this.#tree?.close();
    this.#tree = undefined;
    this.#identity = undefined;
  }

  #miss(): void {
    if (this.#isMissing || this.#closed) return;
    this.#isMissing = true;
    this.#report('source-missing', 'is not there or cannot be read: nothing of it is removed');
  }

  async #watch(): Promise<TreeWatch> {
    const listener: TreeListener = {
      onPath: (path) => this.#listener.onPath(this, path),
      onLost: () => this.#listener.onEverything(this),
      onLink: () => {
        this.#hasLinks = true;
      },
      // The next look begins anew.
      onEnd: () => this.#end(),
    };
    if (!this.#isFolder) return watchFile(this.#path, FILE_INTERVAL, listener);
    const poll = (reason?: string): Promise<TreeWatch> => {
      this.#isPolled = true;
      if (reason !== undefined) this.#report('polling', `is polled, because ${reason}`);
      return pollTree(this.#root, this.#polling.interval, listener);
    };
    if (this.#polling.always || this.#isPolled) return poll();
    if (await isOnNetwork(this.#root))
      return poll('it lies on a network drive, or in another file system of this kind');
    try {
      return await watchTree(this.#root, listener);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      const limit = code === 'ENOSPC' ? ' (fs.inotify.max_user_watches is too low for its folders)' : '';
      return poll(`the system refuses to watch it${limit}: ${message}`);
    }
  }

  #report(kind: WatchProblem['kind'], what: string): void {
    this.#listener.onProblem({ kind, message: `the source ${this.name} ${what}`, source: this.name });
  }
}

/** Says which file or folder is at a path. Another device: something was mounted there, or is no more. */
async function identityOf(path: string, isFolder: boolean): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isDirectory() !== isFolder) return undefined;
  // A file is replaced whenever it is saved; its own watch tells of that.
  if (!isFolder) return 'file';
  const real = await realpath(path).catch(() => '');
  return `${found.dev} ${found.ino} ${real}`;
}

/** Milliseconds between two looks which folders there are: one takes some 20 ms, for there are many places to look. */
const FOLDERS_INTERVAL = 2000;

/**
 * The folders in which the agents of this machine look for skills. They come and go, so they are found anew again and
 * again. Where links lead from one to another, they are read together.
 */
export class WatchedInstalled implements WatchedSource {
  readonly name = 'installed';
  readonly isThere = true;
  readonly #installed: InstalledOptions;
  readonly #polling: Polling;
  readonly #listener: SourceListener;
  /** By their paths. */
  #folders = new Map<string, WatchedPath>();
  #found: FoundFolders | undefined;
  #foundAt = 0;
  #closed = false;

  constructor(installed: InstalledOptions, polling: Polling, listener: SourceListener) {
    this.#installed = installed;
    this.#polling = polling;
    this.#listener = listener;
  }

  /**
   * A load reads the folders that are watched, and no others: of one that has just appeared nobody would tell that it
   * is gone again.
   */
  get toLoad(): InstalledSource | FoundInstalledSource {
    const [installed, found] = [this.#installed, this.#found];
    return found === undefined ? { installed } : { installed, found };
  }

  async start(): Promise<void> {
    this.#foundAt = performance.now();
    await this.#watch(await findFolders(this.#installed));
  }

  async #watch(found: FoundFolders): Promise<void> {
    if (this.#closed) return;
    this.#found = found;
    const roots = found.roots.map(({ path }) => path);
    const isInner = (path: string): boolean => roots.some((other) => other !== path && isInside(path, other));
    // Those that lie in none of the others.
    const paths = new Set(roots.filter((path) => !isInner(path)));
    const former = this.#folders;
    this.#folders = new Map([...paths].map((path) => [path, former.get(path) ?? this.#watched(path)]));
    for (const [path, folder] of former) if (!paths.has(path)) folder.close();
    await Promise.all([...this.#folders].map(([path, folder]) => (former.has(path) ? undefined : folder.start())));
  }

  /** What lies behind a link in one of them may belong to a skill of another one. */
  get roots(): readonly string[] | undefined {
    const folders = [...this.#folders.values()];
    return folders.every(({ hasNoLinks }) => hasNoLinks) ? folders.flatMap(({ roots }) => roots ?? []) : undefined;
  }

  /** Which skills there are is found anew, whatever changed. */
  async isSame(): Promise<boolean> {
    return true;
  }

  async look(): Promise<void> {
    if (this.#closed) return;
    if (performance.now() - this.#foundAt >= FOLDERS_INTERVAL) await this.#lookForFolders();
    for (const folder of this.#folders.values()) await folder.look();
  }

  async #lookForFolders(): Promise<void> {
    this.#foundAt = performance.now();
    const found = await findFolders(this.#installed);
    if (placesIn(found) === placesIn(this.#found)) {
      this.#found = found;
      return;
    }
    await this.#watch(found);
    if (!this.#closed) this.#listener.onEverything(this);
  }

  close(): void {
    this.#closed = true;
    for (const folder of this.#folders.values()) folder.close();
  }

  #watched(path: string): WatchedPath {
    return new WatchedPath(path, path, true, this.#polling, {
      onPath: (_, changed) => this.#listener.onPath(this, changed),
      onEverything: () => this.#listener.onEverything(this),
      // A folder that goes or comes is no problem: its agent has no skills any more, or some.
      onProblem: (problem) => {
        if (problem.kind === 'polling') this.#listener.onProblem(problem);
      },
    });
  }
}

/**
 * Which folders there are, whose they are, and what hides others, to be compared. While a list of plugins cannot be
 * read, their skills are kept; once it can be, they may have to go, though the folders are those of the last look.
 */
function placesIn(found: FoundFolders | undefined): string {
  const hiding = found?.problems.filter(({ hidesSkills }) => hidesSkills === true).map(({ path }) => path);
  return JSON.stringify([found?.roots, found?.folders, hiding?.sort()]);
}
