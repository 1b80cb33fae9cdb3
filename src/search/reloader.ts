import { existsSync } from 'node:fs';
import { resolveDatabase } from '../core/index.js';
import { filesBeside, inodeIn, signatureOf } from '../store/index.js';
import type { CurrentState } from './open-state.js';

/** What {@link Reloader} needs. */
export interface ReloaderParts<State> {
  /** Path of the catalogue's file, absolute. */
  readonly path: string;
  /** Signature of the files before the first state was opened. */
  readonly signature: string;
  /** Opens the newest state, as ready as the present one. Must stop, closing what it opened, when the signal aborts. */
  readonly openNext: (signal: AbortSignal) => Promise<State>;
  /** Called once a new state answers. */
  readonly onReloaded: (state: State, milliseconds: number) => void;
  /** Called when the newest state could not be opened. */
  readonly onFailed: (error: unknown) => void;
  /** The reason of a reload that `close()` stops. */
  readonly closedError: () => Error;
}

/** Opens the newest state of a catalogue and lets it replace the present one. Runs one reload at a time. */
export class Reloader<State extends { close(): Promise<void> }> {
  readonly #states: CurrentState<State>;
  readonly #parts: ReloaderParts<State>;
  readonly #closing = new AbortController();
  #signature: string;
  #failedAt: number | undefined;
  #running: Promise<void> | undefined;
  /** The reload after the running one. All who ask in the meantime share it. */
  #next: Promise<void> | undefined;

  constructor(states: CurrentState<State>, parts: ReloaderParts<State>) {
    this.#states = states;
    this.#parts = parts;
    this.#signature = parts.signature;
  }

  /** Signature of the files when the last reload began, or before the first state was opened. */
  get signature(): string {
    return this.#signature;
  }

  /** When the last reload failed, as of `performance.now()`; undefined if it succeeded. */
  get failedAt(): number | undefined {
    return this.#failedAt;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Opens the file as it is now. If that fails, the present state goes on answering.
   *
   * @throws the error of the opening
   */
  reload(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#parts.closedError());
    if (this.#running === undefined) {
      this.#running = this.#replaceState().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // The running reload may have opened the file before it changed: later callers need another one.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.reload();
      });
    return this.#next;
  }

  /** Stops a running reload; later ones fail. Resolves when nothing is being opened any more. */
  async close(): Promise<void> {
    this.#closing.abort(this.#parts.closedError());
    await this.#running?.catch(() => {});
  }

  async #replaceState(): Promise<void> {
    const { path, openNext, onReloaded, onFailed } = this.#parts;
    const { signal } = this.#closing;
    const started = performance.now();
    let state: State;
    try {
      this.#signature = await signatureOf(path);
      state = await openNext(signal);
      this.#failedAt = undefined;
    } catch (error) {
      this.#failedAt = performance.now();
      if (!signal.aborted) onFailed(error);
      throw error;
    }
    if (signal.aborted) {
      await state.close();
      throw signal.reason;
    }
    this.#states.replace(state);
    onReloaded(state, performance.now() - started);
  }
}

/**
 * Milliseconds to wait for the lock of a load to disappear after its catalogue is published: until then the load still
 * writes the derived files. Afterwards the catalogue is opened without them. A load that was killed leaves its lock,
 * too.
 */
const LONGEST_INDEXING = 120_000;

/** Milliseconds after which a reload that failed is tried again: the cause may have been too little memory, say. */
const RETRY_AFTER = 30_000;

/**
 * Milliseconds after which small changes are shown though more of them follow: a stream of changes that are nearer to
 * each other than two looks would keep the former state open, until what it reads is forgotten.
 */
const LONGEST_UNREST = 1000;

/** What {@link CatalogueWatch} asks for a reload. */
interface Reloads {
  readonly signature: string;
  readonly failedAt: number | undefined;
  readonly isRunning: boolean;
  reload(): Promise<void>;
}

/**
 * Looks at a catalogue's files again and again, and reloads when a load has finished. Does not keep the process alive.
 */
export class CatalogueWatch {
  readonly #path: string;
  readonly #reloads: Reloads;
  readonly #timer: NodeJS.Timeout;
  /** Signature at the last look. */
  #last: string;
  #isLooking = false;
  #isStopped = false;
  /** Since when there is a state that is not open yet, as of `performance.now()`. */
  #changedAt: number | undefined;

  /** @param interval milliseconds between two looks */
  constructor(path: string, interval: number, reloads: Reloads) {
    this.#path = path;
    this.#reloads = reloads;
    this.#last = reloads.signature;
    this.#timer = setInterval(() => this.#look(), interval).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /**
   * Acts when two looks find the same files: a load writes several, one after the other. A small change writes one, so
   * many of them are not waited for long.
   */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#reloads.isRunning) return;
    this.#isLooking = true;
    try {
      const now = await signatureOf(this.#path);
      const hasSettled = now === this.#last;
      this.#last = now;
      const isWorthIt = this.#hasFinishedLoad(now) || this.#isTimeToRetry();
      // Without a file the open state is the best there is.
      if (((hasSettled && isWorthIt) || this.#isRestless(now)) && now !== '' && !this.#isStopped) {
        this.#changedAt = undefined;
        await this.#reloads.reload();
      }
    } catch {
      // The reloader has reported it.
    } finally {
      this.#isLooking = false;
    }
  }

  /** Whether the files have changed, and the load that changed them has written its indexes, too. */
  #hasFinishedLoad(signature: string): boolean {
    if (signature === this.#reloads.signature) {
      this.#changedAt = undefined;
      return false;
    }
    this.#changedAt ??= performance.now();
    const lock = filesBeside(resolveDatabase(this.#path)).loadingLock;
    return !existsSync(lock) || performance.now() - this.#changedAt > LONGEST_INDEXING;
  }

  /** Whether small changes follow one another for too long; the file is still the one that is open. */
  #isRestless(signature: string): boolean {
    const isSameFile = inodeIn(signature) === inodeIn(this.#reloads.signature);
    return isSameFile && this.#changedAt !== undefined && performance.now() - this.#changedAt > LONGEST_UNREST;
  }

  #isTimeToRetry(): boolean {
    const { failedAt } = this.#reloads;
    return failedAt !== undefined && performance.now() - failedAt > RETRY_AFTER;
  }
}
