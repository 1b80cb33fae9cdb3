import type { Duplex } from 'node:stream';
import { SERVER_LIMITS } from './open-connections.js';

/** The requests of one connection. */
interface Pending {
  /** Requests whose answer is not ready or not sent. */
  count: number;
  /** Requests that wait to be answered. */
  readonly waiting: (() => void)[];
  /** Called once no answer is pending. */
  afterLast: (() => void) | undefined;
}

/**
 * Answers the requests of each connection a few at a time. However many requests a client pipelines, it gets no more
 * attention than it reads answers.
 */
export class PendingAnswers {
  readonly #atATime: number;
  readonly #pending = new WeakMap<Duplex, Pending>();

  constructor(atATime: number) {
    this.#atATime = atATime;
  }

  /** Whether one more request of a connection may wait. */
  hasRoom(connection: Duplex): boolean {
    return (this.#pending.get(connection)?.waiting.length ?? 0) < SERVER_LIMITS.waiting;
  }

  /** @param work answers one request. Call {@link PendingAnswers.end} once the answer is sent or given up. */
  begin(connection: Duplex, work: () => void): void {
    let pending = this.#pending.get(connection);
    if (pending === undefined) {
      pending = { count: 0, waiting: [], afterLast: undefined };
      this.#pending.set(connection, pending);
    }
    if (pending.count >= this.#atATime) {
      pending.waiting.push(work);
      // Read no more until the waiting requests are answered.
      connection.pause();
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

  /** Calls `work` once the connection has all pending answers. A second call replaces the first. */
  afterLast(connection: Duplex, work: () => void): void {
    const pending = this.#pending.get(connection);
    if (pending === undefined || pending.count === 0) work();
    else pending.afterLast = work;
  }
}
