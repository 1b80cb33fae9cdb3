import { existsSync } from 'node:fs';
import { resolveDatabase } from '../core/index.js';
import { filesBeside, inodeIn, signatureOf } from '../store/index.js';
import { type CurrentState, closedError, type OpenState } from './open-state.js';

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

/** What {@link Reloader} needs. */
interface ReloaderParts {
  /** Path of the catalogue's file, absolute. */
  readonly path: string;
  /** Signature of the files before the first state was opened. */
  readonly signature: string;
  /** Milliseconds between two looks. */
  readonly interval: number;
  /** Opens the newest state, as ready as the present one. Must stop, closing what it opened, when the signal aborts. */
  readonly openNext: (signal: AbortSignal) => Promise<OpenState>;
  /** Called once a new state answers. */
  readonly onReloaded: (state: OpenState, milliseconds: number) => void;
  /** Called when the newest state could not be opened. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Looks at a catalogue's files again and again, and when a load has finished opens the newest state and lets it replace
 * the present one. Runs one reload at a time. Does not keep the process alive.
 */
export class Reloader {
  readonly #states: CurrentState;
  readonly #parts: ReloaderParts;
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Signature of the files when the last reload began, or before the first state was opened. */
  #signature: string;
  /** Signature at the last look. */
  #last: string;
  #isLooking = false;
  /** Since when there is a state that is not open yet, as of `performance.now()`. */
  #changedAt: number | undefined;
  /** When the last reload failed, likewise; undefined if it succeeded. */
  #failedAt: number | undefined;
  #running: Promise<void> | undefined;
  /** The reload after the running one. All who ask in the meantime share it. */
  #next: Promise<void> | undefined;

  constructor(states: CurrentState, parts: ReloaderParts) {
    this.#states = states;
    this.#parts = parts;
    this.#signature = parts.signature;
    this.#last = parts.signature;
    this.#timer = setInterval(() => this.#look(), parts.interval).unref();
  }

  /**
   * Opens the file as it is now. If that fails, the present state goes on answering.
   *
   * @throws the error of the opening
   */
  reload(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
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
    clearInterval(this.#timer);
    this.#closing.abort(closedError());
    await this.#running?.catch(() => {});
  }

  async #replaceState(): Promise<void> {
    const { path, openNext, onReloaded, onFailed } = this.#parts;
    const { signal } = this.#closing;
    const started = performance.now();
    let state: OpenState;
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

  /**
   * Acts when two looks find the same files: a load writes several, one after the other. A small change writes one, so
   * many of them are not waited for long.
   */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#running !== undefined) return;
    this.#isLooking = true;
    try {
      const now = await signatureOf(this.#parts.path);
      const hasSettled = now === this.#last;
      this.#last = now;
      if (now === this.#signature) this.#changedAt = undefined;
      else this.#changedAt ??= performance.now();
      const isWorthIt = this.#hasFinishedLoad() || isLongerAgo(this.#failedAt, RETRY_AFTER);
      const isDue = (hasSettled && isWorthIt) || this.#isRestless(now);
      // Without a file the open state is the best there is.
      if (isDue && now !== '' && !this.#closing.signal.aborted) {
        this.#changedAt = undefined;
        await this.reload();
      }
    } catch {
      // It was reported.
    } finally {
      this.#isLooking = false;
    }
  }

  /** Whether the files have changed, and the load that changed them has written its indexes, too. */
  #hasFinishedLoad(): boolean {
    if (this.#changedAt === undefined) return false;
    const lock = filesBeside(resolveDatabase(this.#parts.path)).loadingLock;
    return !existsSync(lock) || isLongerAgo(this.#changedAt, LONGEST_INDEXING);
  }

  /** Whether small changes follow one another for too long; the file is still the one that is open. */
  #isRestless(signature: string): boolean {
    return inodeIn(signature) === inodeIn(this.#signature) && isLongerAgo(this.#changedAt, LONGEST_UNREST);
  }
}

function isLongerAgo(time: number | undefined, milliseconds: number): boolean {
  return time !== undefined && performance.now() - time > milliseconds;
}
