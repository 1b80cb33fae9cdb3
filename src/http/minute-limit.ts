import { type Admission, UNLIMITED } from '../access/index.js';
import { SkillSearchError } from '../index.js';
import { MAX_COUNTED_ADDRESSES } from '../limits.js';

const MINUTE = 60_000;

interface Minute {
  /** When its first request came, by the clock of the limit. */
  readonly start: number;
  count: number;
}

/** A limit of requests a minute, and what is left of it after a request; `UNLIMITED` if there is none. */
export type MinuteUse = Pick<Admission, 'minuteLimit' | 'minuteRemaining'>;

/** Limits how often each client may ask within a minute. Counts in memory, for this process. */
export class MinuteLimit {
  readonly #what: string;
  readonly #perMinute: number;
  readonly #now: () => number;
  /** In the order in which they began. */
  readonly #minutes = new Map<string, Minute>();

  /**
   * @param what is counted, for the message: `pages`
   * @param perMinute 0 for no limit
   * @param now milliseconds, never going back
   */
  constructor(what: string, perMinute: number, now: () => number = () => performance.now()) {
    this.#what = what;
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Counts a request. The minute lasts 60 seconds from its first request.
   *
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`
   */
  count(client: string): MinuteUse {
    if (this.#perMinute === 0) return { minuteLimit: UNLIMITED, minuteRemaining: UNLIMITED };
    const now = this.#now();
    const minute = this.#minuteOf(client, now);
    minute.count += 1;
    if (minute.count <= this.#perMinute) {
      return { minuteLimit: this.#perMinute, minuteRemaining: this.#perMinute - minute.count };
    }
    const retryAfter = Math.max(1, Math.ceil((minute.start + MINUTE - now) / 1000));
    const message = `more than ${this.#perMinute} ${this.#what} within a minute: try again in ${retryAfter} s`;
    throw new SkillSearchError('RATE_LIMIT_EXCEEDED', message, { retryAfter });
  }

  #minuteOf(client: string, now: number): Minute {
    const running = this.#minutes.get(client);
    if (running !== undefined && now - running.start < MINUTE) return running;
    const minute: Minute = { start: now, count: 0 };
    // Deleted first: setting alone would leave it at its former place in the order.
    this.#minutes.delete(client);
    if (this.#minutes.size >= MAX_COUNTED_ADDRESSES) this.#forgetFirst();
    this.#minutes.set(client, minute);
    return minute;
  }

  #forgetFirst(): void {
    for (const client of this.#minutes.keys()) {
      this.#minutes.delete(client);
      return;
    }
  }
}
