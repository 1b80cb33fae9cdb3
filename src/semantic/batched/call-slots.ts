/** What a call takes at first, in milliseconds, before any was measured. */
const FIRST_GUESS = 500;
/** How much of each measurement goes into the average. */
const WEIGHT_OF_NEWEST = 1 / 8;

/** Lets so many calls run at a time. The others wait, and begin in the order in which they came. */
export class CallSlots {
  #free: number;
  readonly #all: number;
  readonly #waiting = new Set<() => void>();
  #usual = FIRST_GUESS;

  constructor(count: number) {
    this.#free = count;
    this.#all = count;
  }

  /** Milliseconds until a call that comes now would begin. */
  get expectedWait(): number {
    return this.#free > 0 ? 0 : ((this.#waiting.size + 1) / this.#all) * this.#usual;
  }

  /**
   * Runs a call as soon as there is a slot for it.
   *
   * @throws the signal's reason if aborted before the call has begun
   */
  async run<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#slot(signal);
    const began = performance.now();
    try {
      return await call();
    } finally {
      this.#usual += (performance.now() - began - this.#usual) * WEIGHT_OF_NEWEST;
      this.#release();
    }
  }

  async #slot(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      this.#waiting.add(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Hands the slot to the call that has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
