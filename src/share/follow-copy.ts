import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import {
  type ErrorMessage,
  errorOf,
  type Resolvers,
  SkillSearchError,
  startWorker,
  untilAborted,
  withResolvers,
} from '../core/index.js';
import type { CopyStats } from '../result.js';
import { keeperOf, type LookedReplica, type ReplicaAddress, type ReplicaKeeper } from './keepers.js';
import type { Revision } from './shared-catalogue/catalogue-tables.js';
import { indexDueWords, revisionIn } from './shared-catalogue/replica.js';
import type { ReplicaFiles } from './snapshot/replica-files.js';

/** What is followed, and how. */
export interface FollowCopyOptions extends ReplicaAddress {
  /** Milliseconds between two looks; undefined to look once. */
  readonly interval: number | undefined;
  /** Called when a look failed and the former revision stays. What stays wrong is reported once. */
  readonly onProblem: (error: unknown) => void;
  /** Called when a look succeeds after one that was reported to have failed, with the milliseconds since that. */
  readonly onReachable?: (milliseconds: number) => void;
  /**
   * Whether words are searched. A single look then also writes their index where it is due: the search would have to
   * collect them anyway, and so would each one after it.
   *
   * @default false
   */
  readonly needsWords?: boolean;
  /** Ends the first look. */
  readonly signal: AbortSignal | undefined;
}

/** A replica that is kept up to date. */
export interface CopyFollower {
  /** Path of the local catalogue. */
  readonly database: string;
  /**
   * Looks now.
   *
   * @throws {SkillSearchError} as opening a follower does; the former revision stays then
   */
  look(): Promise<void>;
  /**
   * Makes the replica again, as the newest revision: what is here cannot be opened.
   *
   * @throws {SkillSearchError} as opening a follower does
   */
  mend(): Promise<void>;
  /**
   * What is known of the replica.
   *
   * @param stamp of the revision that is asked about
   */
  statsOf(stamp: string): CopyStats;
  /** Stops looking. What is being fetched is continued by the next process. */
  close(): Promise<void>;
}

/** How long a single look may take where there is a replica already, in milliseconds. */
const LONGEST_WITH_COPY = 5000;

/** How often a busy database is asked again, and how long where there is no replica yet, in milliseconds. */
const LOOK_AGAIN = 500;
const LONGEST_START = 30_000;

/**
 * Brings the replica of what an address names up to date, and with an interval keeps it so, in a thread. A replica that
 * is there is used at once then, whether the address answers or not; without an interval it has a few seconds.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`; `CATALOGUE_EXISTS` if the folder holds another catalogue; if there is no
 *   replica yet: those of {@link ReplicaKeeper.look}
 * @throws the signal's reason when aborted
 */
export async function followCopy(options: FollowCopyOptions): Promise<CopyFollower> {
  const { address, cache, passwordFile, interval, needsWords = false, signal } = options;
  signal?.throwIfAborted();
  const keeper = keeperOf({ address, cache, passwordFile });
  const known = new KnownReplica(keeper);
  if (interval !== undefined) {
    const follower = new ThreadFollower(
      keeper.files.database,
      { address, cache, passwordFile, interval },
      known,
      options,
    );
    if (!known.exists) await follower.usable(signal);
    return follower;
  }
  const { database } = keeper.files;
  // The process that wrote the replica may have ended before its words were indexed, and perhaps none follows it here.
  const finish = async (): Promise<void> =>
    needsWords && keeper.isShared ? indexDueWords(database, signal) : undefined;
  await lookOnce(keeper, known, options);
  await finish();
  const mend = async (): Promise<void> => {
    const mending = keeperOf({ address, cache, passwordFile });
    try {
      known.agreed(await untilAborted(mending.look({ signal, index: 'nothing', fromNothing: true }), signal));
    } finally {
      await mending.close();
    }
    await finish();
  };
  const nothing = async (): Promise<void> => {};
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
    const isLate = tooLong?.aborted === true;
    onProblem(isLate ? new Error(`bringing it up to date takes longer than ${LONGEST_WITH_COPY / 1000} s`) : error);
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
class KnownReplica {
  /** Whether there is one that can be searched. */
  exists: boolean;
  readonly #files: ReplicaFiles;
  /** Whether it has revisions: snapshots have none. */
  readonly #isShared: boolean;
  #revisions: readonly Revision[] = [];

  constructor({ files, isShared }: ReplicaKeeper) {
    this.#files = files;
    this.#isShared = isShared;
    this.exists = files.exists && (!isShared || this.#read() !== undefined);
  }

  /** Notes what the replica is. */
  agreed({ revision, isNewest }: LookedReplica): void {
    this.exists = true;
    if (revision !== undefined) this.#note(revision);
    if (isNewest) this.#files.confirm();
  }

  statsOf(stamp: string): CopyStats {
    const ofStamp = (revision: Revision | undefined): boolean => revision?.stamp === stamp;
    // The file may be opened before the thread has said what it is.
    const revision = this.#revisions.find(ofStamp) ?? [this.#read()].find(ofStamp);
    const { confirmedAt } = this.#files;
    return {
      ...(revision && { version: revision.version, publishedAt: Math.floor(revision.publishedAt / 1000) }),
      ...(confirmedAt === undefined ? {} : { confirmedAt }),
    };
  }

  #read(): Revision | undefined {
    const revision = this.#isShared ? revisionIn(this.#files.database) : undefined;
    if (revision !== undefined) this.#note(revision);
    return revision;
  }

  #note(revision: Revision): void {
    const others = this.#revisions.filter(({ stamp }) => stamp !== revision.stamp);
    this.#revisions = [revision, ...others].slice(0, KNOWN_REVISIONS);
  }
}

/** After which a thread that has died is started again, in milliseconds. */
const RESTART_AFTER = 5000;

/** What the thread of a follower is started with. */
export interface FollowThreadData extends ReplicaAddress {
  /** Milliseconds between two looks. */
  readonly interval: number;
}

/** To the thread. */
export type FollowRequest =
  /** @property fromNothing whether what is here is damaged */
  { readonly kind: 'look'; readonly fromNothing: boolean } | { readonly kind: 'close' };

/** From the thread. */
export type FollowReply =
  /** The replica is as new as it can be, and words can be searched; vectors may still be indexed. */
  | ({ readonly kind: 'agreed' } & LookedReplica)
  /** A look failed. */
  | { readonly kind: 'failed'; readonly error: ErrorMessage }
  /** An index file of the replica could not be written. */
  | { readonly kind: 'warned'; readonly message: string }
  /** The first of the looks that were asked for and have not ended has ended. */
  | { readonly kind: 'looked'; readonly error: ErrorMessage | undefined };

type FollowListeners = Pick<FollowCopyOptions, 'onProblem' | 'onReachable'>;

/** Keeps a replica up to date in a thread of its own, so that no search waits for what is written meanwhile. */
class ThreadFollower implements CopyFollower {
  readonly database: string;
  readonly #data: FollowThreadData;
  readonly #known: KnownReplica;
  readonly #listeners: FollowListeners;
  /** What is wrong now, and since when something is that was reported, by `performance.now()`. */
  #outage: { readonly message: string; readonly since: number | undefined } | undefined;
  /** The callers that asked for looks, first come first. */
  #looks: Resolvers<void>[] = [];
  readonly #began = performance.now();
  #worker: Worker;
  #restart: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** Why there is no thread now. */
  #ended: Error | undefined;
  /** The caller that waits until there is a replica. */
  #first: Resolvers<void> | undefined;

  constructor(database: string, data: FollowThreadData, known: KnownReplica, listeners: FollowListeners) {
    this.database = database;
    this.#data = data;
    this.#known = known;
    this.#listeners = listeners;
    this.#worker = this.#start();
  }

  /**
   * Waits until the replica can be searched by words. If that fails, the follower is closed.
   *
   * @throws what went wrong; the signal's reason when aborted
   */
  async usable(signal: AbortSignal | undefined): Promise<void> {
    this.#first = withResolvers();
    // Nothing else may keep the process alive until then.
    this.#worker.ref();
    try {
      await untilAborted(this.#first.promise, signal);
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
    const look = withResolvers<void>();
    this.#looks.push(look);
    this.#post({ kind: 'look', fromNothing });
    return look.promise;
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
      const look = this.#looks.shift();
      if (reply.error === undefined) look?.resolve();
      else look?.reject(errorOf(reply.error));
    } else if (this.#isClosing) {
      return;
    } else if (reply.kind === 'agreed') {
      this.#known.agreed(reply);
      const since = this.#outage?.since;
      this.#outage = undefined;
      if (since !== undefined) this.#listeners.onReachable?.(performance.now() - since);
      this.#first?.resolve();
    } else if (reply.kind === 'warned') {
      this.#listeners.onProblem(new Error(reply.message));
    } else {
      this.#report(errorOf(reply.error));
    }
  }

  /** Reports once what stays wrong at look after look; to the caller that waits for the first look in another way. */
  #report(error: Error): void {
    const isNews = error.message !== this.#outage?.message;
    const isFirst = this.#first !== undefined;
    const since = this.#outage?.since ?? (isFirst || !isNews ? undefined : performance.now());
    this.#outage = { message: error.message, since };
    // The thread looks again soon.
    if (isFirst && !isWorthAnotherTry(error, this.#began)) this.#first?.reject(error);
    if (!isFirst && isNews) this.#listeners.onProblem(error);
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
    for (const { reject } of this.#looks) reject(error);
    this.#looks = [];
  }
}
