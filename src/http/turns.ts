import { appendTo } from '../core/index.js';

/** Milliseconds of work in one turn of the event loop. */
const TURN = 5;
/** Turns in a row that are left to new connections. */
const MOST_LEFT = 8;
/** Callbacks that wait for the next turn at most, each for one piece of work. */
const MOST_SCHEDULED = 128;

/** Work of clients that take turns: each piece of another's waits for one piece of each client at most. */
class WorkOfClients {
  /** The client whose turn it is comes first. */
  readonly #waiting = new Map<unknown, (() => void)[]>();
  count = 0;

  add(work: () => void, client: unknown): void {
    appendTo(this.#waiting, client, work);
    this.count += 1;
  }

  next(): (() => void) | undefined {
    for (const [client, works] of this.#waiting) {
      const work = works.shift();
      // The client goes behind all others.
      this.#waiting.delete(client);
      if (works.length > 0) this.#waiting.set(client, works);
      this.count -= 1;
      return work;
    }
    return undefined;
  }
}

/**
 * Spreads work over the turns of the event loop. Node accepts one new connection in a turn, however many wait. If each
 * turn answered all requests of the others, a new client of a busy server would wait for seconds.
 *
 * Clients take turns, too, with urgent work and with the rest.
 */
export class Turns {
  readonly #urgent = new WorkOfClients();
  readonly #others = new WorkOfClients();
  #scheduled = 0;
  #isHeld = false;
  /** When the time of this turn is used up, by `performance.now()`; undefined before its first piece of work. */
  #end: number | undefined;
  /** Whether this turn has done work that is not urgent. */
  #hasDoneOther = false;
  /** Whether a connection came since the last turn with work. */
  #hasConnected = false;
  /** Turns in a row that were left to new connections. */
  #left = 0;
  /** Whether work used up the time of the last turn with work. */
  #isBehind = false;

  /**
   * Calls `work` after everything that arrived in this turn of the event loop was read: in this turn if it has time
   * left, otherwise in a later one. Keeps the order of each client.
   *
   * @param client whose work it is
   */
  run(work: () => void, client: unknown): void {
    this.#others.add(work, client);
    this.#schedule();
  }

  /**
   * Calls `work` before everything that {@link Turns.run} was given. In each turn one other piece is done all the same:
   * much urgent work must not stop the rest.
   */
  runFirst(work: () => void, client: unknown): void {
    this.#urgent.add(work, client);
    this.#schedule();
  }

  /**
   * Call it for each new connection. If work fills the turns, only urgent work is done in this one, so
   * that the next connection is accepted at once: otherwise the last of many would wait for as many turns full of work.
   */
  connected(): void {
    this.#hasConnected = true;
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return this.#urgent.count + this.#others.count;
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
    const wanted = Math.min(MOST_SCHEDULED, this.waiting);
    for (; this.#scheduled < wanted; this.#scheduled++) setImmediate(this.#doNext);
  }

  readonly #doNext = (): void => {
    this.#scheduled -= 1;
    if (this.#isHeld) return;
    const now = performance.now();
    if (this.#end === undefined) {
      this.#end = now + TURN;
      this.#hasDoneOther = false;
      this.#left = this.#hasConnected && this.#isBehind && this.#left < MOST_LEFT ? this.#left + 1 : 0;
      this.#hasConnected = false;
      if (this.#left === 0) this.#isBehind = false;
      setImmediate(this.#beginTurn);
    }
    const isLeft = this.#left > 0;
    let work: (() => void) | undefined;
    if (now < this.#end) work = this.#urgent.next() ?? (isLeft ? undefined : this.#nextOther());
    else {
      this.#isBehind ||= this.#others.count > 0;
      if (!this.#hasDoneOther && !isLeft) work = this.#nextOther();
    }
    work?.();
    this.#schedule();
  };

  #nextOther(): (() => void) | undefined {
    this.#hasDoneOther = true;
    return this.#others.next();
  }

  readonly #beginTurn = (): void => {
    // A single piece may have used up the time, also one that only let somebody go on who waited. Nothing waits then,
    // and yet the next connection has waited for it.
    if (performance.now() >= this.#end!) this.#isBehind = true;
    this.#end = undefined;
  };
}
