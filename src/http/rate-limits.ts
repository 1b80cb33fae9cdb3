import { SkillSearchError } from '../index.js';

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
}

/** Limits how often each client may ask within a minute. Counts in memory, for this process. */
export class MinuteLimit {
  readonly #what: string;
  readonly #perMinute: number;
  /** In the order in which they began. */
  readonly #minutes = new Map<string, Minute>();

  /**
   * @param what is counted, for the message: `pages`
   * @param perMinute 0 for no limit
   */
  constructor(what: string, perMinute: number) {
    this.#what = what;
    this.#perMinute = perMinute;
  }

  /**
   * Counts a request. The minute lasts 60 seconds from its first request.
   *
   * @returns undefined if there is no limit
   * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`
   */
  count(client: string): MinuteLeft | undefined {
    if (this.#perMinute === 0) return undefined;
    const now = performance.now();
    const minute = this.#minuteOf(client, now);
    minute.count += 1;
    if (minute.count <= this.#perMinute) return { limit: this.#perMinute, remaining: this.#perMinute - minute.count };
    const reset = Math.min(60, Math.max(1, Math.ceil((minute.start + MINUTE - now) / 1000)));
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

/**
 * Addresses whose requests are counted in memory, such as those for pages. With more, the count that began first is
 * forgotten. Each takes some hundred bytes.
 */
const MAX_COUNTED_ADDRESSES = 10_000;

/** Milliseconds: what an address may do in this time it may do at once. */
const BURST = 10_000;

/**
 * Limits how often each address may do something: on average so often a second, by a leaky bucket of ten seconds. What
 * is refused does not count. Counts in memory, for this process; addresses that were silent for longest are forgotten.
 */
export class AddressRate {
  readonly #perSecond: number;
  /** When the bucket of each address is empty. The address that was silent for longest comes first. */
  readonly #empty = new Map<string, number>();

  /** @param perSecond 0 for no limit */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether it may do it once more. */
  admits(address: string): boolean {
    if (this.#perSecond === 0) return true;
    const now = performance.now();
    const empty = Math.max(now, this.#empty.get(address) ?? 0) + 1000 / this.#perSecond;
    if (empty > now + BURST) return false;
    putLast(this.#empty, address, empty);
    return true;
  }
}

/** Sets the value of an address behind those of all others. If they are too many, the first is forgotten. */
function putLast<T>(byAddress: Map<string, T>, address: string, value: T): void {
  byAddress.delete(address);
  const [first] = byAddress.size < MAX_COUNTED_ADDRESSES ? [] : byAddress.keys();
  if (first !== undefined) byAddress.delete(first);
  byAddress.set(address, value);
}
