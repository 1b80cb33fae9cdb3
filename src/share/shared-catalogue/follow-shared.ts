import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type ErrorMessage, errorOf, SkillSearchError, startWorker, untilAborted } from '../../core/index.js';
import type { CopyStats } from '../../result.js';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import {
  type CopyFollower,
  type FollowCopyOptions,
  LONGEST_WITH_COPY,
  OutageReporter,
  tookTooLong,
} from '../snapshot/follower.js';
import { LocalCopy } from '../snapshot/local-copy.js';
import type { Revision } from './catalogue-tables.js';
import { indexDueWords, replicaFolder, revisionIn, sharedOrigin } from './replica.js';
import { type LookedReplica, ReplicaKeeper } from './replica-keeper.js';

/** What the thread of a follower is started with. */
export interface FollowThreadData {
  /** The address, with its password if it has one. */
  readonly address: string;
  readonly passwordFile: string | undefined;
  readonly folder: string;
  /** Milliseconds between two looks. */
  readonly interval: number;
}

/** To the thread. */
export type FollowRequest =
  /** @property fromNothing whether what is here is damaged */
  { readonly kind: 'look'; readonly id: number; readonly fromNothing: boolean } | { readonly kind: 'close' };

/** From the thread. */
export type FollowReply =
  /**
   * The replica is the newest revision that the database has, and words can be searched; vectors may still be indexed.
   *
   * @property isNewest whether it is not even newer, as beside a standby that is behind
   */
  | { readonly kind: 'agreed'; readonly revision: Revision; readonly isNewest: boolean }
  /** A look failed. */
  | { readonly kind: 'failed'; readonly error: ErrorMessage }
  /** An index file of the replica could not be written. */
  | { readonly kind: 'warned'; readonly message: string }
  /** The look that a caller asked for has ended. */
  | { readonly kind: 'looked'; readonly id: number; readonly error: ErrorMessage | undefined };

/** How often a busy database is asked again, and how long where there is no replica yet, in milliseconds. */
const LOOK_AGAIN = 500;
const LONGEST_START = 30_000;

/**
 * Brings the replica of a shared catalogue up to date, and with an interval keeps it so, in a thread. A replica that is
 * there is used at once then, whether the database answers or not; without an interval the database has a few seconds.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if the folder holds another catalogue; if there is no
 *   replica yet: `DATABASE_NOT_FOUND` if nothing was ever published, `DATABASE_NOT_READABLE`, `DATABASE_NOT_WRITABLE`,
 *   `UNSUPPORTED_FORMAT`, `SERVICE_UNAVAILABLE`, `POSTGRES_CLIENT_MISSING`
 * @throws the signal's reason when aborted
 */
export async function followShared(options: FollowCopyOptions): Promise<CopyFollower> {
  const { interval, passwordFile, needsWords = false, signal } = options;
  signal?.throwIfAborted();
  const address = readPostgresAddress('database', options.address);
  const folder = replicaFolder(address, options.cache);
  const files = new LocalCopy(folder, sharedOrigin(address));
  const here = files.exists ? revisionIn(files.database) : undefined;
  const known = new KnownReplica(files, here);
  if (interval !== undefined) {
    const follower = new ThreadFollower({ address: options.address, passwordFile, folder, interval }, known, options);
    if (here === undefined) await follower.usable(signal);
    return follower;
  }
  const { database } = known;
  const keeper = (): ReplicaKeeper => new ReplicaKeeper({ address, passwordFile, folder });
  // The process that wrote the replica may have ended before its words were indexed, and perhaps none follows it here.
  const finish = async (): Promise<void> => (needsWords ? indexDueWords(database, signal) : undefined);
  await lookOnce(keeper(), known, options);
  await finish();
  const nothing = async (): Promise<void> => {};
  const mend = async (): Promise<void> => {
    const mending = keeper();
    try {
      known.agreed(await untilAborted(mending.look({ signal, index: 'nothing', fromNothing: true }), signal));
    } finally {
      await mending.close();
    }
    await finish();
  };
  return { database, statsOf: (stamp) => known.statsOf(stamp), look: nothing, mend, close: nothing };
}

async function lookOnce(
  keeper: ReplicaKeeper,
  known: KnownReplica,
  { signal, onProblem }: FollowCopyOptions,
): Promise<void> {
  const tooLong = known.exists ? AbortSignal.timeout(LONGEST_WITH_COPY) : undefined;
  const either = AbortSignal.any([signal, tooLong].filter((end) => end !== undefined));
  const began = performance.now();
  try {
    for (;;) {
      try {
        // Vectors take minutes, and can be searched without: a process that follows indexes them. Words come after.
        const looking = keeper.look({ signal: either, index: known.exists ? 'nothing' : 'all' });
        known.agreed(await untilAborted(looking, either));
        return;
      } catch (error) {
        if (signal?.aborted === true || known.exists || !isWorthAnotherTry(error, began)) throw error;
      }
      await wait(LOOK_AGAIN, undefined, { signal: either });
    }
  } catch (error) {
    if (signal?.aborted === true || !known.exists) throw error;
    onProblem(tooLong?.aborted === true ? tookTooLong() : error);
  } finally {
    const closed = keeper.close();
    // A database that says nothing is not waited for.
    if (!either.aborted) await closed;
  }
}

/**
 * Whether a first look that failed may succeed soon: the database was found, and is busy, as when many servers start at
 * the same moment.
 *
 * @param began when the first look began, by `performance.now()`
 */
function isWorthAnotherTry(error: unknown, began: number): boolean {
  const isBusy = error instanceof SkillSearchError && error.code === 'SERVICE_UNAVAILABLE';
  return isBusy && performance.now() - began < LONGEST_START;
}

/** Revisions that are known. A search may answer from the one before the newest. */
const KNOWN_REVISIONS = 4;

/** What this process knows of a replica. */
export class KnownReplica {
  readonly #files: LocalCopy;
  #revisions: readonly Revision[];

  /** @param here the revision that was found, if any was */
  constructor(files: LocalCopy, here: Revision | undefined) {
    this.#files = files;
    this.#revisions = here === undefined ? [] : [here];
  }

  get database(): string {
    return this.#files.database;
  }

  get exists(): boolean {
    return this.#revisions.length > 0;
  }

  /** Notes what the replica is. */
  agreed({ revision, isNewest }: LookedReplica): void {
    this.#note(revision);
    if (isNewest) this.#files.confirm();
  }

  statsOf(stamp: string): CopyStats {
    const { version, publishedAt } = this.#revisionOf(stamp) ?? {};
    const { confirmedAt } = this.#files;
    return {
      ...(version === undefined ? {} : { version }),
      ...(publishedAt === undefined ? {} : { publishedAt: Math.floor(publishedAt / 1000) }),
      ...(confirmedAt === undefined ? {} : { confirmedAt }),
    };
  }

  #note(revision: Revision): void {
    const others = this.#revisions.filter(({ stamp }) => stamp !== revision.stamp);
    this.#revisions = [revision, ...others].slice(0, KNOWN_REVISIONS);
  }

  #revisionOf(stamp: string): Revision | undefined {
    const known = this.#revisions.find((revision) => revision.stamp === stamp);
    if (known !== undefined) return known;
    // The file may be opened before the thread has said what it is.
    const here = revisionIn(this.database);
    if (here?.stamp !== stamp) return undefined;
    this.#note(here);
    return here;
  }
}

/** After which a thread that has died is started again, in milliseconds. */
const RESTART_AFTER = 5000;

type FollowListeners = Pick<FollowCopyOptions, 'onProblem' | 'onReachable'>;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps a replica up to date in a thread of its own, so that no search waits for what is written meanwhile. */
export class ThreadFollower implements CopyFollower {
  readonly database: string;
  readonly #data: FollowThreadData;
  readonly #known: KnownReplica;
  readonly #listeners: FollowListeners;
  readonly #outage: OutageReporter;
  readonly #looks = new Map<number, Waiting>();
  readonly #began = performance.now();
  #lastLook = 0;
  #worker: Worker;
  #restart: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** Why there is no thread now. */
  #ended: Error | undefined;
  /** The caller that waits until there is a replica. */
  #first: Waiting | undefined;

  constructor(data: FollowThreadData, known: KnownReplica, listeners: FollowListeners) {
    this.database = known.database;
    this.#data = data;
    this.#known = known;
    this.#listeners = listeners;
    this.#outage = new OutageReporter(listeners);
    this.#worker = this.#start();
  }

  /**
   * Waits until the replica can be searched by words. If that fails, the follower is closed.
   *
   * @throws what went wrong; the signal's reason when aborted
   */
  async usable(signal: AbortSignal | undefined): Promise<void> {
    const usable = new Promise<void>((resolve, reject) => {
      this.#first = { resolve, reject };
    });
    // Nothing else may keep the process alive until then.
    this.#worker.ref();
    try {
      await untilAborted(usable, signal);
      this.#worker.unref();
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#first = undefined;
    }
  }

  look(): Promise<void> {
    return this.#look(false);
  }

  mend(): Promise<void> {
    return this.#look(true);
  }

  statsOf(stamp: string): CopyStats {
    return this.#known.statsOf(stamp);
  }

  async close(): Promise<void> {
    clearTimeout(this.#restart);
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#endLooks(new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed'));
    if (this.#ended !== undefined) return;
    const worker = this.#worker;
    worker.ref();
    const exit = once(worker, 'exit');
    this.#post({ kind: 'close' });
    await exit.catch(() => {});
  }

  #look(fromNothing: boolean): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#lastLook += 1;
    const id = this.#lastLook;
    return new Promise((resolve, reject) => {
      this.#looks.set(id, { resolve, reject });
      this.#post({ kind: 'look', id, fromNothing });
    });
  }

  #start(): Worker {
    // Standard output may be for messages of a protocol.
    const worker = startWorker(import.meta.url, 'follow-thread', { workerData: this.#data, stdout: true });
    let cause: unknown;
    worker.on('message', (reply: FollowReply) => this.#take(reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => this.#end(cause));
    // Listening for messages keeps a process alive.
    worker.unref();
    return worker;
  }

  #post(request: FollowRequest): void {
    this.#worker.postMessage(request);
  }

  #take(reply: FollowReply): void {
    if (reply.kind === 'looked') {
      const look = this.#looks.get(reply.id);
      this.#looks.delete(reply.id);
      if (reply.error === undefined) look?.resolve();
      else look?.reject(errorOf(reply.error));
    } else if (this.#isClosing) {
      return;
    } else if (reply.kind === 'agreed') {
      this.#known.agreed(reply);
      this.#outage.over();
      this.#first?.resolve();
    } else if (reply.kind === 'warned') {
      this.#listeners.onProblem(new Error(reply.message));
    } else {
      this.#report(errorOf(reply.error));
    }
  }

  #report(error: Error): void {
    if (this.#first === undefined) {
      this.#outage.report(error);
      return;
    }
    this.#outage.note(error);
    // The thread looks again soon.
    if (!isWorthAnotherTry(error, this.#began)) this.#first.reject(error);
  }

  /** The thread has ended: of too little memory, say. */
  #end(cause: unknown): void {
    if (this.#isClosing) return;
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    const error = new Error(`the thread that follows the catalogue has ended${reason}`, { cause });
    this.#ended = error;
    this.#endLooks(error);
    this.#report(error);
    this.#restart = setTimeout(() => {
      this.#ended = undefined;
      this.#worker = this.#start();
    }, RESTART_AFTER).unref();
  }

  #endLooks(error: Error): void {
    for (const { reject } of this.#looks.values()) reject(error);
    this.#looks.clear();
  }
}
