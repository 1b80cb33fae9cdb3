import { SkillSearchError } from '../index.js';
import { putLast } from './address-rate.js';

const MINUTE = 60_000;

interface Minute {
  /** When its first request came, by the clock of the limit. */
  readonly start: number;
  count: number;
}

/** What a client has left of its minute. */
export interface MinuteLeft {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next minute begins, 1 to 60. */
  readonly reset: number;
}

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
   * @returns undefined if there is no limit
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`
   */
  count(client: string): MinuteLeft | undefined {
    if (this.#perMinute === 0) return undefined;
    const now = this.#now();
    const minute = this.#minuteOf(client, now);
    minute.count += 1;
    const reset = Math.min(60, Math.max(1, Math.ceil((minute.start + MINUTE - now) / 1000)));
    if (minute.count <= this.#perMinute) {
      return { limit: this.#perMinute, remaining: this.#perMinute - minute.count, reset };
    }
    const message = `more than ${this.#perMinute} ${this.#what} within a minute: try again in ${reset} s`;
    throw new SkillSearchError('RATE_LIMIT_EXCEEDED', message, { retryAfter: reset });
  }

  #minuteOf(client: string, now: number): Minute {
    const running = this.#minutes.get(client);
    if (running !== undefined && now - running.start < MINUTE) return running;
    const minute: Minute = { start: now, count: 0 };
    putLast(this.#minutes, client, minute);
    return minute;
  }
}
