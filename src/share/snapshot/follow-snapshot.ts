import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SkillSearchError, surroundings, userFolders } from '../../core/index.js';
import type { CopyStats } from '../../result.js';
import type { CopyFollower, FollowCopyOptions } from './follower.js';
import { LONGEST_WITH_COPY, OutageReporter, tookTooLong } from './follower.js';
import { LocalCopy } from './local-copy.js';
import { type Manifest, manifestText } from './manifest.js';
import { Origin } from './origin.js';

/**
 * Brings a local copy of a snapshot up to date, and keeps it so. A copy that is there does not wait for a server that
 * is away or slow: with an interval it is used at once, and without one after a few seconds.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if the folder holds another catalogue; if there is no
 *   copy yet: `SNAPSHOT_NOT_AVAILABLE`, `INVALID_SNAPSHOT`, `UNSUPPORTED_FORMAT`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
export async function followSnapshot(options: Omit<FollowCopyOptions, 'passwordFile'>): Promise<CopyFollower> {
  const { interval, onProblem, signal } = options;
  const origin = new Origin(options.address);
  const folder = options.cache ?? join(userFolders(surroundings()).cache, 'snapshots', origin.key);
  const looker = new Looker(origin, new LocalCopy(folder, origin), new OutageReporter(options));
  try {
    await looker.first(interval === undefined ? 'wait' : 'later', onProblem, signal);
  } catch (error) {
    await looker.close();
    throw error;
  }
  if (interval !== undefined) looker.every(interval);
  return looker;
}

/** How often another process that is fetching the same is waited for, in milliseconds. */
const LOOK_AGAIN = 250;

class Looker implements CopyFollower {
  readonly database: string;
  readonly #origin: Origin;
  readonly #copy: LocalCopy;
  readonly #outage: OutageReporter;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** What the server calls its manifest, and the manifest. */
  #known: { readonly tag: string | undefined; readonly text: string } | undefined;

  constructor(origin: Origin, copy: LocalCopy, outage: OutageReporter) {
    this.#origin = origin;
    this.#copy = copy;
    this.#outage = outage;
    this.database = copy.database;
  }

  /** @param withCopy whether to wait for a look where there is a copy */
  async first(
    withCopy: 'wait' | 'later',
    onProblem: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const hasCopy = this.#copy.exists;
    if (hasCopy && withCopy === 'later') {
      this.#lookQuietly();
      return;
    }
    const tooLong = hasCopy ? AbortSignal.timeout(LONGEST_WITH_COPY) : undefined;
    const either = AbortSignal.any([this.#closing.signal, signal, tooLong].filter((end) => end !== undefined));
    for (;;) {
      try {
        await this.#look(either);
        return;
      } catch (error) {
        if (signal?.aborted === true || this.#closing.signal.aborted) throw error;
        if (this.#copy.exists) {
          // Whoever fetches it makes it newer soon.
          if (!isElsewhere(error)) onProblem(tooLong?.aborted === true ? tookTooLong() : error);
          return;
        }
        if (!isElsewhere(error)) throw error;
        await wait(LOOK_AGAIN, undefined, { signal: either });
      }
    }
  }

  every(interval: number): void {
    this.#timer = setInterval(() => this.#lookQuietly(), interval).unref();
  }

  async look(): Promise<void> {
    await this.#running;
    await this.#look(this.#closing.signal);
  }

  async mend(): Promise<void> {
    await this.#running;
    // Every chunk that is here is looked at then, and taken if it is whole.
    this.#copy.forget();
    await this.#look(this.#closing.signal);
  }

  statsOf(): CopyStats {
    const confirmedAt = this.#copy.confirmedAt;
    return confirmedAt === undefined ? {} : { confirmedAt };
  }

  #lookQuietly(): void {
    this.#running ??= this.#look(this.#closing.signal)
      .then(
        () => this.#outage.over(),
        (error: unknown) => {
          if (!this.#closing.signal.aborted && !isElsewhere(error)) this.#outage.report(error as Error);
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed'));
    await this.#running;
    this.#origin.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    // Somebody may have deleted the copy, or another process may have brought it to another state.
    const isHere = (text: string): boolean => textOf(this.#copy.manifest) === text;
    const tag = this.#known !== undefined && isHere(this.#known.text) ? this.#known.tag : undefined;
    const found = await this.#origin.manifest(tag, signal);
    if (found === undefined) return this.#copy.confirm();
    const { manifest } = found;
    const text = manifestText(manifest);
    if (!isHere(text)) {
      const fetch = (digest: string, bytes: number, ending: AbortSignal): Promise<Buffer> =>
        this.#origin.chunk(digest, bytes, ending);
      await this.#copy.bringTo(manifest, fetch, signal);
    }
    this.#known = { tag: found.tag, text };
    this.#copy.confirm();
  }
}

function textOf(manifest: Manifest | undefined): string | undefined {
  return manifest === undefined ? undefined : manifestText(manifest);
}

/** Whether another process is fetching the same. */
function isElsewhere(error: unknown): boolean {
  return error instanceof SkillSearchError && error.code === 'LOAD_IN_PROGRESS';
}
