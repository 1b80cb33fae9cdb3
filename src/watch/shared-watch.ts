import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileLock } from '../store/index.js';
import type { WatchProblem } from './index.js';

/** Milliseconds between two attempts to take over. One attempt opens a file. */
const INTERVAL = 1000;

/** Milliseconds between two looks whether the first load of another watch has ended. */
const READY_INTERVAL = 100;

/** A watch that loads. */
interface LoadingWatch {
  /** The promise is kept when the first load has ended. */
  start(): Promise<void>;
  close(): Promise<void>;
}

interface SharedWatchParts {
  /** What messages call the catalogue. */
  readonly shown: string;
  /** Path of the file that is locked by the one that loads: the same for all that would load the same. */
  readonly lock: string;
  readonly make: () => LoadingWatch;
  readonly onProblem: (problem: WatchProblem) => void;
}

/**
 * One of several watches that would load the same into one catalogue, as when each agent starts a server of its own.
 * Only the one that has the lock loads. The others wait until its process ends, however it ends, and one of them takes
 * over, beginning with a load of everything. Where nothing can be locked, each loads.
 */
export class SharedWatch {
  readonly #parts: SharedWatchParts;
  readonly #closing = new AbortController();
  readonly #retries: Retries;
  #lock: FileLock | undefined;
  #watch: LoadingWatch | undefined;
  #following: Promise<void> | undefined;

  constructor(parts: SharedWatchParts) {
    this.#parts = parts;
    this.#retries = new Retries(this.#closing.signal);
  }

  /**
   * The promise is kept when the first load has ended, of this watch or of another one.
   *
   * @throws what the load throws; then the watch is closed
   */
  async start(): Promise<void> {
    const { signal } = this.#closing;
    if (await this.#takeOver()) return;
    const { shown, onProblem } = this.#parts;
    const message = `another watch loads the same sources into ${shown}; this one takes over when that ends`;
    onProblem({ kind: 'watched-elsewhere', message });
    while (!existsSync(this.#ready)) {
      await this.#retries.waitFor(READY_INTERVAL);
      signal.throwIfAborted();
      if (await this.#takeOver()) return;
    }
    this.#following = this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the watch was closed'));
    await this.#watch?.close();
    await this.#following;
    this.#release();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await this.#retries.waitFor(INTERVAL);
      if (signal.aborted) return;
      try {
        if (await this.#takeOver()) return;
      } catch (error) {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        const message = `this watch could not take over, and tries again in ${this.#retries.seconds} s: ${reason}`;
        this.#parts.onProblem({ kind: 'load-failed', message, error });
        await this.#retries.wait();
      }
    }
  }

  /** @returns false if another watch loads */
  async #takeOver(): Promise<boolean> {
    if (!this.#take()) return false;
    try {
      this.#watch = this.#parts.make();
      await this.#watch.start();
      if (this.#lock !== undefined) writeFileSync(this.#ready, '');
      return true;
    } catch (error) {
      this.#watch = undefined;
      this.#release();
      throw error;
    }
  }

  #take(): boolean {
    try {
      this.#lock = FileLock.take(this.#parts.lock);
      if (this.#lock === undefined) return false;
      // Of a process that was killed.
      rmSync(this.#ready, { force: true });
    } catch {
      // If nothing can be written there, the load says so.
    }
    return true;
  }

  #release(): void {
    if (this.#lock === undefined) return;
    rmSync(this.#ready, { force: true });
    this.#lock.release();
    this.#lock = undefined;
  }

  /** Path of a file that is there as soon as the first load has ended. */
  get #ready(): string {
    return `${this.#parts.lock}-ready`;
  }
}

/** The first wait after a failure, in seconds; each further one is twice as long. */
const FIRST = 1;
const LONGEST = 60;

/** How long to wait after loads that failed. */
export class Retries {
  readonly #signal: AbortSignal;
  #failures = 0;
  #isWaiting = false;

  /** @param signal ends all waits */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The next wait after a failure. */
  get seconds(): number {
    return Math.min(LONGEST, FIRST * 2 ** this.#failures);
  }

  /** Whether nobody was told yet that somebody else's load is waited for. */
  isFirstWait(): boolean {
    const isFirst = !this.#isWaiting;
    this.#isWaiting = true;
    return isFirst;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isWaiting = false;
  }

  async wait(): Promise<void> {
    const { seconds } = this;
    this.#failures += 1;
    await this.waitFor(seconds * 1000);
  }

  /** Returns early when the signal is aborted. */
  async waitFor(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#signal }).catch(() => {});
  }
}
