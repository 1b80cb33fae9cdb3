import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { errorOf, SkillSearchError, startWorker, untilAborted } from '../../core/index.js';
import type { CopyStats } from '../../result.js';
import type { CopyFollower, FollowCopyOptions } from '../snapshot/follower.js';
import { ToldFault } from '../snapshot/follower.js';
import type { FollowReply, FollowRequest, FollowThreadData } from './follow-messages.js';
import { isWorthAnotherTry } from './is-worth-another-try.js';
import type { KnownCopy } from './known-copy.js';

/** After which a thread that has died is started again, in milliseconds. */
const RESTART_AFTER = 5000;

type FollowListeners = Pick<FollowCopyOptions, 'onProblem' | 'onReachable'>;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps a copy up to date in a thread of its own, so that nobody who asks waits for what is written meanwhile. */
export class ThreadFollower implements CopyFollower {
  readonly database: string;
  readonly #data: FollowThreadData;
  readonly #known: KnownCopy;
  readonly #listeners: FollowListeners;
  readonly #fault: ToldFault;
  readonly #looks = new Map<number, Waiting>();
  readonly #began = performance.now();
  #lastLook = 0;
  #worker: Worker;
  #restart: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** Why there is no thread now. */
  #ended: Error | undefined;
  /** Whoever waits until there is a copy. */
  #first: Waiting | undefined;

  constructor(data: FollowThreadData, known: KnownCopy, listeners: FollowListeners) {
    this.database = known.database;
    this.#data = data;
    this.#known = known;
    this.#listeners = listeners;
    this.#fault = new ToldFault(listeners);
    this.#worker = this.#start();
  }

  /**
   * Waits until the copy can be searched by words. If that fails, the follower is closed.
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

  #look(anew: boolean): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#lastLook += 1;
    const id = this.#lastLook;
    return new Promise((resolve, reject) => {
      this.#looks.set(id, { resolve, reject });
      this.#post({ kind: 'look', id, anew });
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
      this.#fault.over();
      this.#first?.resolve();
    } else if (reply.kind === 'warned') {
      this.#listeners.onProblem(new Error(reply.message));
    } else {
      this.#tell(errorOf(reply.error));
    }
  }

  #tell(error: Error): void {
    if (this.#first === undefined) {
      this.#fault.tell(error);
      return;
    }
    this.#fault.know(error);
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
    this.#tell(error);
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
