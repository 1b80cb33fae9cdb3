import { isInside } from '../core/index.js';
import type { FoundInstalledSource, InstalledSource } from '../load/index.js';
import type { InstalledOptions } from '../sources/index.js';
import { type FoundFolders, findFolders } from '../sources/index.js';
import { WatchedPath } from './watched-path.js';
import type { Polling, SourceListener, WatchedSource } from './watched-source.js';

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
  #isLooking = false;
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
    const { roots } = found;
    const paths = new Set(outermost(roots.map(({ path }) => path)));
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
    if (this.#isLooking || this.#closed) return;
    this.#isLooking = true;
    try {
      if (performance.now() - this.#foundAt >= FOLDERS_INTERVAL) await this.#lookForFolders();
      for (const folder of this.#folders.values()) await folder.look();
    } finally {
      this.#isLooking = false;
    }
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

/** Those that lie in none of the others. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}
