import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SkillSearchError } from '../errors.js';
import { surroundings, userFolders } from '../user-folders.js';
import { type Fetched, LocalCopy } from './local-copy.js';
import type { Manifest } from './manifest.js';
import { Origin } from './origin.js';

/** What brings a local copy up to date. */
export interface FollowSnapshotOptions {
  /** The http or https address of a manifest. */
  readonly address: string;
  /** The folder of the local copy; undefined for one in the user's cache folder. */
  readonly cache: string | undefined;
  /** Milliseconds between two looks; undefined to look once. */
  readonly interval: number | undefined;
  /** Called when a look after the first one failed; the former state stays. Also of the first, if there is a copy. */
  readonly onProblem: (error: unknown) => void;
  /** Ends the first look. */
  readonly signal: AbortSignal | undefined;
}

/** A local copy that is kept up to date. */
export interface SnapshotFollower {
  /** Path of the local catalogue. */
  readonly database: string;
  /** Stops looking. What is being fetched is continued by the next process. */
  close(): Promise<void>;
}

/**
 * Brings a local copy of a snapshot up to date, and keeps it so. If the server is away, a copy that is there is used as
 * it is.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; if there is no copy yet: `SNAPSHOT_NOT_AVAILABLE`, `INVALID_SNAPSHOT`,
 *   `UNSUPPORTED_FORMAT`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
export async function followSnapshot(options: FollowSnapshotOptions): Promise<SnapshotFollower> {
  const { interval, onProblem, signal } = options;
  const origin = new Origin(options.address);
  const folder = options.cache ?? join(userFolders(surroundings()).cache, 'snapshots', origin.key);
  const looker = new Looker(origin, new LocalCopy(folder));
  try {
    await looker.first(onProblem, signal);
  } catch (error) {
    await looker.close();
    throw error;
  }
  if (interval !== undefined) looker.every(interval, onProblem);
  return looker;
}

/** How often another process that is fetching the same is waited for, in milliseconds. */
const LOOK_AGAIN = 250;

class Looker implements SnapshotFollower {
  readonly database: string;
  readonly #origin: Origin;
  readonly #copy: LocalCopy;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #tag: string | undefined;

  constructor(origin: Origin, copy: LocalCopy) {
    this.#origin = origin;
    this.#copy = copy;
    this.database = copy.database;
  }

  async first(onProblem: (error: unknown) => void, signal: AbortSignal | undefined): Promise<void> {
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      try {
        await this.#look(either);
        return;
      } catch (error) {
        if (either.aborted) throw error;
        const isElsewhere = error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
        if (this.#copy.exists) {
          // Whoever fetches it makes it newer soon.
          if (!isElsewhere) onProblem(error);
          return;
        }
        if (!isElsewhere) throw error;
        await wait(LOOK_AGAIN, undefined, { signal: either });
      }
    }
  }

  every(interval: number, onProblem: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.#look(this.#closing.signal)
        .catch((error: unknown) => {
          const isElsewhere = error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
          if (!this.#closing.signal.aborted && !isElsewhere) onProblem(error);
        })
        .finally(() => {
          this.#running = undefined;
        });
    }, interval).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed'));
    await this.#running;
    this.#origin.close();
  }

  /** @returns what was fetched; undefined if nothing is new */
  async #look(signal: AbortSignal): Promise<Fetched | undefined> {
    const found = await this.#origin.manifest(this.#tag, signal);
    if (found === undefined) return undefined;
    if (!isState(this.#copy.manifest, found.manifest)) {
      const fetched = await this.#copy.bringTo(
        found.manifest,
        (digest, bytes, ending) => this.#origin.chunk(digest, bytes, ending),
        signal,
      );
      this.#tag = found.tag;
      return fetched;
    }
    this.#tag = found.tag;
    return undefined;
  }
}

/** Whether the copy is what a manifest says. Derived files may come later than their catalogue. */
function isState(copy: Manifest | undefined, manifest: Manifest): boolean {
  return copy !== undefined && JSON.stringify(copy) === JSON.stringify(manifest);
}
