import type { Duplex } from 'node:stream';

/** What one connection waits for. */
interface Pending {
  /** Answers in the making, or not sent yet. */
  count: number;
  /** Requests whose turn has not come. */
  readonly waiting: (() => void)[];
  afterLast: (() => void) | undefined;
}

/** More requests than Node reads in one piece, 64 KB, are not waited for. */
const MOST_WAITING = 4000;

/**
 * Answers the requests of each connection a few at a time: however many come in one piece, no more are worked on than the
 * client takes answers of.
 */
export class PendingAnswers {
  readonly #atATime: number;
  readonly #pending = new WeakMap<Duplex, Pending>();

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  /** @param work answers one request; `end` must be called once the answer is sent or given up */
  begin(connection: Duplex, work: () => void): void {
    let pending = this.#pending.get(connection);
    if (pending === undefined) {
      pending = { count: 0, waiting: [], afterLast: undefined };
      this.#pending.set(connection, pending);
    }
    if (pending.count >= this.#atATime) {
      pending.waiting.push(work);
      // What has come in one piece waits; no more is read before it had its turn.
      if (pending.waiting.length > MOST_WAITING) connection.destroy();
      else connection.pause();
      return;
    }
    pending.count += 1;
    work();
  }

  end(connection: Duplex): void {
    const pending = this.#pending.get(connection);
    if (pending === undefined) return;
    pending.count -= 1;
    if (connection.destroyed) pending.waiting.length = 0;
    const next = pending.waiting.shift();
    if (next !== undefined) {
      pending.count += 1;
      if (pending.waiting.length === 0) connection.resume();
      next();
    } else if (pending.count === 0) {
      pending.afterLast?.();
    }
  }

  /** Does something once the connection has all answers it waits for: of several things the last. */
  afterLast(connection: Duplex, work: () => void): void {
    const pending = this.#pending.get(connection);
    if (pending === undefined || pending.count === 0) work();
    else pending.afterLast = work;
  }
}
