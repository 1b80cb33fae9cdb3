/** Milliseconds of work in one turn of the event loop. */
const TURN = 5;
/** Callbacks that wait for the next turn at most, each for one piece of work. */
const MOST_SCHEDULED = 128;

/**
 * Spreads work over the turns of the event loop. Node accepts one new connection in a turn, however many wait. If each
 * turn answered all requests of the others, a new client of a busy server would wait for seconds.
 */
export class Turns {
  readonly #urgent: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #scheduled = 0;
  #isHeld = false;
  /** When the time of this turn is used up, by `performance.now()`; undefined before its first piece of work. */
  #end: number | undefined;
  /** Whether this turn has done work that is not urgent. */
  #hasDoneOther = false;

  /**
   * Calls `work` after everything that arrived in this turn of the event loop was read: in this turn if it has time
   * left, otherwise in a later one. Keeps the order. Urgent work comes first, but in each turn one other piece is done
   * if any waits: much urgent work must not stop the rest.
   */
  run(work: () => void, urgency: 'urgent' | 'ordinary' = 'ordinary'): void {
    (urgency === 'urgent' ? this.#urgent : this.#waiting).push(work);
    this.#schedule();
  }

  /** Does nothing more until {@link Turns.release}. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /**
   * One callback for each piece of work, so that what Node does after a callback, such as freeing sent data, does not
   * wait for the last.
   */
  #schedule(): void {
    if (this.#isHeld) return;
    const wanted = Math.min(MOST_SCHEDULED, this.#urgent.length + this.#waiting.length);
    for (; this.#scheduled < wanted; this.#scheduled++) setImmediate(this.#doNext);
  }

  readonly #doNext = (): void => {
    this.#scheduled -= 1;
    if (this.#isHeld) return;
    const now = performance.now();
    if (this.#end === undefined) {
      this.#end = now + TURN;
      this.#hasDoneOther = false;
      setImmediate(this.#beginTurn);
    }
    let work: (() => void) | undefined;
    if (now < this.#end) work = this.#urgent.shift() ?? this.#nextOther();
    else if (!this.#hasDoneOther) work = this.#nextOther();
    work?.();
    this.#schedule();
  };

  #nextOther(): (() => void) | undefined {
    this.#hasDoneOther = true;
    return this.#waiting.shift();
  }

  readonly #beginTurn = (): void => {
    this.#end = undefined;
  };
}
