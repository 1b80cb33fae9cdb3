import { signatureOf } from '../../store/index.js';
import type { CurrentState } from './current-state.js';

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
