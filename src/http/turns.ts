/** Milliseconds of work in one turn of the event loop. */
const TURN = 5;

/**
 * Spreads work over the turns of the event loop. Node takes one new connection in a turn, however many wait: where each
 * turn answers all that others ask meanwhile, a client that comes to a busy server waits for seconds.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When the time of this turn is used up, of `performance.now()`; undefined before anything was done in it. */
  #end: number | undefined;

  /**
   * Does something once all that came in this turn of the event loop was read, if the turn has time left then, else in
   * one of the next, in the order in which it came.
   */
  run(work: () => void): void {
    this.#waiting.push(work);
    // One for each: what Node does after a callback, such as to free what was sent, is then not put off to the last.
    setImmediate(this.#doNext);
  }

  readonly #doNext = (): void => {
    const now = performance.now();
    if (this.#end === undefined) {
      this.#end = now + TURN;
      setImmediate(this.#beginTurn);
    }
    if (now < this.#end) this.#waiting.shift()?.();
    else setImmediate(this.#doNext);
  };

  readonly #beginTurn = (): void => {
    this.#end = undefined;
  };
}
