/** Milliseconds of work in one turn of the event loop. */
const TURN = 5;

/**
 * Spreads work over the turns of the event loop. Node accepts one new connection in a turn, however many wait. If each
 * turn answered all requests of the others, a new client of a busy server would wait for seconds.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When the time of this turn is used up, by `performance.now()`; undefined before its first piece of work. */
  #end: number | undefined;

  /**
   * Calls `work` after everything that arrived in this turn of the event loop was read: in this turn if it has time
   * left, otherwise in a later one. Keeps the order.
   */
  run(work: () => void): void {
    this.#waiting.push(work);
    // One callback for each piece of work, so that what Node does after a callback, such as freeing sent data, does not
    // wait for the last.
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
