/**
 * Events of a source that are gathered one by one. With more, as when another branch is checked out, all of it is read:
 * Linux keeps 16,384 events and drops what is beyond them without a word.
 */
export const MAX_GATHERED_EVENTS = 10_000;

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
  #firstAt: number | undefined;
  #lastAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDue called once it is time to load the changes; again only after they were taken */
  constructor(waits: Waits, onDue: () => void) {
    this.#waits = waits;
    this.#onDue = onDue;
  }

  /** Since when changes wait, as of `performance.now()`; undefined if there are none. */
  get firstAt(): number | undefined {
    return this.#firstAt;
  }

  add(source: Key, path: string): void {
    const gathered = this.#of(source);
    gathered.events += 1;
    if (gathered.events > MAX_GATHERED_EVENTS) {
      gathered.everything = true;
      gathered.paths = new Set();
    }
    if (!gathered.everything) gathered.paths.add(path);
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
      const gathered = this.#of(source);
      gathered.events += paths.size;
      gathered.everything ||= everything || gathered.events > MAX_GATHERED_EVENTS;
      if (gathered.everything) gathered.paths = new Set();
      else for (const path of paths) gathered.paths.add(path);
    }
    this.#wait();
    this.#firstAt = Math.min(firstAt, this.#firstAt!);
  }

  /** Takes all changes. */
  take(): ReadonlyMap<Key, SourceChanges> {
    const taken = this.#gathered;
    this.#gathered = new Map();
    this.#firstAt = undefined;
    this.close();
    return taken;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #of(source: Key): Gathered {
    let gathered = this.#gathered.get(source);
    if (gathered === undefined) {
      gathered = { paths: new Set(), everything: false, events: 0 };
      this.#gathered.set(source, gathered);
    }
    return gathered;
  }

  /** One timer for any number of events: it looks again when it fires. */
  #wait(): void {
    this.#lastAt = performance.now();
    this.#firstAt ??= this.#lastAt;
    this.#timer ??= setTimeout(() => this.#look(), this.#waits.quiet);
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#firstAt === undefined) return;
    const now = performance.now();
    const dueAt = Math.min(this.#lastAt + this.#waits.quiet, this.#firstAt + this.#waits.longest);
    if (now < dueAt - 1) this.#timer = setTimeout(() => this.#look(), dueAt - now);
    else this.#onDue();
  }
}
