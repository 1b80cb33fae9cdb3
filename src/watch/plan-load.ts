import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isInside, MAX_CHANGED_IN_PLACE, madeOnce } from '../core/index.js';
import { isSkillFile } from '../sources/index.js';
import type { WatchedSource } from './watched-sources.js';

/**
 * Events of a source that are gathered one by one. With more, as when another branch is checked out, all of it is read:
 * Linux keeps 16,384 events and drops what is beyond them without a word.
 */
const MAX_GATHERED_EVENTS = 10_000;

/** What has changed in a source since it was read last. */
export interface SourceChanges {
  /** Absolute paths of files and folders that changed, appeared or vanished. */
  readonly paths: ReadonlySet<string>;
  /** Whether anything may have changed: there were too many events, or some were lost. */
  readonly everything: boolean;
}

/** Milliseconds that gathered changes wait; see `WatchOptions`. */
export interface Waits {
  readonly quiet: number;
  readonly longest: number;
}

interface Gathered {
  paths: Set<string>;
  everything: boolean;
  /** Events that were told, also of the same path. */
  events: number;
}

/**
 * Gathers changes until it is quiet, or until the first of them has waited long enough. The system drops events when
 * nobody takes them, and does not say so. But it keeps 16,384 before it drops any (`fs.inotify.max_queued_events`). So
 * many events at once count as a change of everything.
 *
 * @param Key of a source
 */
export class GatheredChanges<Key> {
  readonly #waits: Waits;
  readonly #onDue: () => void;
  #gathered = new Map<Key, Gathered>();
  /** Since when changes wait, as of `performance.now()`; undefined if there are none. */
  firstAt: number | undefined;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDue called once it is time to load the changes; again only after they were taken */
  constructor(waits: Waits, onDue: () => void) {
    this.#waits = waits;
    this.#onDue = onDue;
  }

  add(source: Key, path: string): void {
    const gathered = this.#of(source);
    gathered.events += 1;
    if (gathered.events > MAX_GATHERED_EVENTS) this.addEverything(source);
    else if (!gathered.everything) gathered.paths.add(path);
    this.#wait();
  }

  addEverything(source: Key): void {
    const gathered = this.#of(source);
    gathered.everything = true;
    gathered.paths = new Set();
    this.#wait();
  }

  /** Puts back what was taken but not loaded. It waits like new changes, counted from when it came first. */
  putBack(changes: ReadonlyMap<Key, SourceChanges>, firstAt: number): void {
    for (const [source, { paths, everything }] of changes) {
      if (everything) this.addEverything(source);
      for (const path of paths) this.add(source, path);
    }
    this.firstAt = Math.min(firstAt, this.firstAt ?? firstAt);
  }

  /** Takes all changes. */
  take(): ReadonlyMap<Key, SourceChanges> {
    const taken = this.#gathered;
    this.#gathered = new Map();
    this.firstAt = undefined;
    this.close();
    return taken;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #of(source: Key): Gathered {
    return madeOnce(this.#gathered, source, () => ({ paths: new Set(), everything: false, events: 0 }));
  }

  /** One timer for any number of events: it looks again when it fires. */
  #wait(): void {
    this.#lastAt = performance.now();
    this.firstAt ??= this.#lastAt;
    this.#timer ??= setTimeout(() => this.#look(), this.#waits.quiet);
  }

  #look(): void {
    this.#timer = undefined;
    if (this.firstAt === undefined) return;
    const now = performance.now();
    const dueAt = Math.min(this.#lastAt + this.#waits.quiet, this.firstAt + this.#waits.longest);
    if (now < dueAt - 1) this.#timer = setTimeout(() => this.#look(), dueAt - now);
    else this.#onDue();
  }
}

/** Changes of sources. */
export type Changes = ReadonlyMap<WatchedSource, SourceChanges>;

/** What to load. */
export interface LoadPlan {
  /** Whether much may have changed: then the sources are loaded as a whole. */
  readonly whole: boolean;
  /** Sources that changed, and the folders that the changes are in; without any, all of the source is read. */
  readonly parts: ReadonlyMap<WatchedSource, readonly string[]>;
}

/**
 * Decides what of changed sources is read: the folders that are affected, all of a source where these cannot be told,
 * or, where much has changed, all of it by a whole load.
 *
 * @param followLinks whether a skill of one source may lie in another
 */
export async function planLoad(
  changes: Changes,
  all: readonly WatchedSource[],
  followLinks: boolean,
): Promise<LoadPlan> {
  let whole = followLinks;
  const parts = new Map<WatchedSource, readonly string[]>();
  for (const [source, { paths, everything }] of changes) {
    if (!source.isThere) continue;
    const { roots } = source;
    const folders = everything || roots === undefined ? undefined : await affectedFolders(roots, paths);
    if (folders?.length === 0) continue;
    parts.set(source, folders ?? []);
    whole ||= everything || (folders?.length ?? 0) > MAX_CHANGED_IN_PLACE;
  }
  if (!whole || parts.size === 0) return { whole: false, parts };
  // In the order of the sources, which decides between skills of one id.
  const loaded = all.filter((source) => source.isThere && (followLinks || parts.has(source)));
  return { whole: true, parts: new Map(loaded.map((source) => [source, []])) };
}

/**
 * Finds the folders of skills that changed paths belong to. Files belong to every skill above them: what a skill is
 * made of has the skills inside it, too.
 *
 * @param roots of the source: absolute, without links; none lies in another
 * @returns absolute paths of folders to read again with everything in them; none lies in another, and some are gone.
 *   Undefined if skills may be affected that lie in no folder of which that can be told
 */
async function affectedFolders(
  roots: readonly string[],
  paths: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  const folders: string[] = [];
  for (const root of roots) {
    const affected = await affectedIn(root, paths);
    if (affected === undefined) return undefined;
    folders.push(...affected);
  }
  return folders.sort();
}

async function affectedIn(root: string, paths: ReadonlySet<string>): Promise<string[] | undefined> {
  const folders = new Set<string>();
  const isSkill = new Map<string, boolean>();
  for (const path of paths) {
    if (!isInside(path, root)) continue;
    // A commit gives all skills of the repository another date, a remote other places.
    if (path === root || basename(path) === '.git' || basename(dirname(path)) === '.git') return undefined;
    const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error.code);
    // What lies behind a link may belong to any skill.
    if (typeof found === 'object' && found.isSymbolicLink()) return undefined;
    // What is gone may have been a folder of skills. What cannot be looked at is left as it is.
    const isGone = found === 'ENOENT' || found === 'ENOTDIR';
    if (isGone || (typeof found === 'object' && found.isDirectory())) folders.add(path);
    if (isSkillFile(basename(path))) folders.add(dirname(path));
    for (let folder = dirname(path); isInside(folder, root); folder = dirname(folder)) {
      if (!isSkill.has(folder)) isSkill.set(folder, (await readdir(folder).catch(() => [])).some(isSkillFile));
      if (isSkill.get(folder) === true) folders.add(folder);
      if (folder === dirname(folder)) break;
    }
  }
  if (folders.has(root)) return undefined;
  // Those that lie in none of the others, in order.
  return [...folders].filter((folder) => !liesIn(dirname(folder), folders)).sort();
}

function liesIn(folder: string, folders: ReadonlySet<string>): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (folders.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}
