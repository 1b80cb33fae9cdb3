/** Milliseconds of work in one turn of the event loop. */
const TURN = 5;

/**
 * Spreads work over the turns of the event loop. Node takes one new connection in a turn, however many wait: where each
 * turn answers all that others ask meanwhile, a client that comes to a busy server waits for seconds.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** Milliseconds of this turn that are used. */
  #used = 0;
  #scheduled = false;

  /** Does something now if this turn has time left, else in one of the next, in the order in which it came. */
  run(work: () => void): void {
    if (this.#waiting.length === 0 && this.#used < TURN) this.#do(work);
    else this.#waiting.push(work);
    this.#schedule();
  }

  #do(work: () => void): void {
    const started = performance.now();
    work();
    this.#used += performance.now() - started;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#used = 0;
      for (let work = this.#next(); work !== undefined; work = this.#next()) this.#do(work);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #next(): (() => void) | undefined {
    return this.#used < TURN ? this.#waiting.shift() : undefined;
  }
}
