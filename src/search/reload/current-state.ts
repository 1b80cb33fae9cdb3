/** Something open that a newer one can replace. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Hands out the state that answers now. A call that is running when the state is replaced ends on the state it began
 * on; the replaced state is closed when the last of these calls has ended.
 */
export class CurrentState<State extends Closable> {
  #current: State;
  /** Number of running calls, for each state that has any. */
  readonly #running = new Map<State, number>();

  constructor(first: State) {
    this.#current = first;
  }

  /** The newest state. Only for synchronous work: a reload may close it at the next turn of the event loop. */
  get newest(): State {
    return this.#current;
  }

  /** Runs work on the newest state, which stays open until the work ends. */
  async use<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
    const state = this.#current;
    this.#running.set(state, (this.#running.get(state) ?? 0) + 1);
    try {
      return await work(state);
    } finally {
      this.#release(state);
    }
  }

  /** From now on `next` answers. */
  replace(next: State): void {
    const former = this.#current;
    this.#current = next;
    if (!this.#running.has(former)) closeQuietly(former);
  }

  /** Closes the newest state and every replaced one that is still in use. */
  async close(): Promise<void> {
    const states = new Set([this.#current, ...this.#running.keys()]);
    await Promise.all([...states].map((state) => state.close()));
  }

  #release(state: State): void {
    const running = this.#running.get(state)! - 1;
    if (running > 0) {
      this.#running.set(state, running);
      return;
    }
    this.#running.delete(state);
    if (state !== this.#current) closeQuietly(state);
  }
}

/** Nobody waits for a replaced state, so nobody can be told that closing it failed. */
function closeQuietly(state: Closable): void {
  state.close().catch(() => {});
}
