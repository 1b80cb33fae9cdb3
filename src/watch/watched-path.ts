import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isOnNetwork, pollTree, watchFile } from './trees/poll.js';
import type { TreeListener, TreeWatch } from './trees/watch-folders.js';
import { isRefusal, SEES_ALL_LINKS, watchTree } from './trees/watch-folders.js';
import type { Polling, SourceListener, WatchedSource } from './watched-source.js';

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
  #isLooking = false;
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
    this.#listener.onProblem({
      kind: 'source-back',
      message: `the source ${this.name} is there again`,
      source: this.name,
    });
  }

  async isSame(): Promise<boolean> {
    const identity = await identityOf(this.#path, this.#isFolder);
    return identity !== undefined && identity === this.#identity;
  }

  async look(): Promise<void> {
    if (this.#isLooking || this.#closed) return;
    this.#isLooking = true;
    try {
      const identity = await identityOf(this.#path, this.#isFolder);
      if (this.#closed || (identity !== undefined && identity === this.#identity)) return;
      this.#end();
      await this.start();
      if (this.#identity !== undefined && !this.#closed) this.#listener.onEverything(this);
    } finally {
      this.#isLooking = false;
    }
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
    const message = `the source ${this.name} is not there or cannot be read: nothing of it is removed`;
    this.#listener.onProblem({ kind: 'source-missing', message, source: this.name });
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
    const reason = await this.#whyPolled();
    if (reason !== undefined) return this.#poll(listener, reason);
    try {
      return await watchTree(this.#root, listener);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      const limit = code === 'ENOSPC' ? ' (fs.inotify.max_user_watches is too low for its folders)' : '';
      return this.#poll(listener, `the system refuses to watch it${limit}: ${message}`);
    }
  }

  async #whyPolled(): Promise<string | undefined> {
    if (this.#polling.always || this.#isPolled) return '';
    return (await isOnNetwork(this.#root))
      ? 'it lies on a network drive, or in another file system of this kind'
      : undefined;
  }

  /** @param reason to tell; empty if the caller wants it so, or knows */
  #poll(listener: TreeListener, reason: string): Promise<TreeWatch> {
    this.#isPolled = true;
    if (reason !== '') {
      const message = `the source ${this.name} is polled, because ${reason}`;
      this.#listener.onProblem({ kind: 'polling', message, source: this.name });
    }
    return pollTree(this.#root, this.#polling.interval, listener);
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
