import { SkillSearchError } from '../core/index.js';
import type { ApiKey, NewApiKey, NewKeyOptions } from './api-key.js';
import { type Quota, UNLIMITED } from './options.js';

/** The sender of a request, and its quota. */
export interface Client {
  /** Whether the request had an API key. */
  readonly kind: 'anonymous' | 'key';
  /** What its requests are counted under: `key:<id>`, an IPv4 address, the /64 of an IPv6 address, or `unknown`. */
  readonly name: string;
  /** How many requests it may make. */
  readonly quota: Quota;
}

/**
 * API keys and quotas, as a server needs them: what `openAccess` and `connectAccess` return. A store in a file answers
 * at once, so that a keyword search need not wait for a turn of the event loop; one on another machine answers by
 * promises. See `Access` and `SharedAccess` for what the methods do and throw.
 */
export interface KeysAndQuotas {
  createKey(options?: NewKeyOptions): NewApiKey | Promise<NewApiKey>;
  listKeys(): ApiKey[] | Promise<ApiKey[]>;
  revokeKey(idOrKey: number | string): ApiKey | Promise<ApiKey>;
  identify(authorization: string | undefined, address: string | undefined): Client | Promise<Client>;
  /**
   * Makes sure that a client that was identified is still accepted, for requests that are not counted.
   *
   * @throws {SkillSearchError} `INVALID_API_KEY`
   */
  confirm(client: Client): void | Promise<void>;
  admit(client: Client, fault?: SkillSearchError): Admission | Promise<SharedAdmission>;
  countRequest(client: Client): void | Promise<void>;
  check(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** What is left to a client whose request may be answered. */
export interface QuotaLeft {
  /** Requests a day; {@link UNLIMITED} if there is no limit. */
  readonly dailyLimit: number;
  /** Requests left of this day, after this one; {@link UNLIMITED} if there is no limit. */
  readonly dailyRemaining: number;
  /** Requests a minute; {@link UNLIMITED} if there is no limit. */
  readonly minuteLimit: number;
  /** Requests left of this minute, after this one; {@link UNLIMITED} if there is no limit. */
  readonly minuteRemaining: number;
}

/** The permission to answer a request. */
export interface Admission extends QuotaLeft {
  /** Returns the request to the day's quota. Call it if the search failed after all. */
  giveBack(): void;
}

/** The same from a database that several servers share. */
export interface SharedAdmission extends QuotaLeft {
  /** Returns the request to the day's quota. Call it if the search failed after all. */
  giveBack(): Promise<void>;
}

/** The admission of clients without limits, whose requests are not counted. */
export const UNLIMITED_ADMISSION: Admission = {
  dailyLimit: UNLIMITED,
  dailyRemaining: UNLIMITED,
  minuteLimit: UNLIMITED,
  minuteRemaining: UNLIMITED,
  giveBack: () => {},
};

/**
 * What is left to a client after a request that was counted.
 *
 * @param fault what is wrong with the request. It is thrown unless the limit of the minute is exceeded.
 * @throws {SkillSearchError} `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED`; `retryAfter` has the seconds to wait
 */
export function quotaLeft(
  { daily, perMinute }: Quota,
  { refused, retryAfter, usage }: Verdict,
  fault: SkillSearchError | undefined,
): QuotaLeft {
  if (refused === 'minute') throw minuteExceeded(perMinute, retryAfter);
  if (fault !== undefined) throw fault;
  if (refused === 'day') {
    const message = `the ${daily} requests of this day are used up; the next day begins at 00:00 UTC`;
    throw new SkillSearchError('DAILY_QUOTA_EXCEEDED', message, { retryAfter });
  }
  return {
    dailyLimit: daily === 0 ? UNLIMITED : daily,
    dailyRemaining: daily === 0 ? UNLIMITED : daily - usage.dayCount,
    minuteLimit: perMinute === 0 ? UNLIMITED : perMinute,
    minuteRemaining: perMinute === 0 ? UNLIMITED : perMinute - usage.minuteCount,
  };
}

export function minuteExceeded(perMinute: number, retryAfter: number): SkillSearchError {
  const message = `more than ${perMinute} requests within a minute: try again in ${retryAfter} s`;
  return new SkillSearchError('RATE_LIMIT_EXCEEDED', message, { retryAfter });
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The requests of a client. */
export interface Usage {
  /** Days since 1970, UTC. */
  readonly day: number;
  /** Requests of that day that were or are being answered. */
  readonly dayCount: number;
  /** When the first request of the minute came, in milliseconds since 1970. */
  readonly minuteStart: number;
  /** Requests since then. */
  readonly minuteCount: number;
}

/** Whether a request may be answered, and the counts after it. */
export interface Verdict {
  readonly usage: Usage;
  /** The limit that refuses the request; absent if none does. */
  readonly refused?: 'minute' | 'day';
  /** Seconds until that limit is reset, 1 or more. */
  readonly retryAfter: number;
}

/** @param now milliseconds since 1970 */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/**
 * Counts one request. It always counts for the minute, and for the day only if it will be answered. A day that has begun
 * goes on where the clock is set back to the day before, so that midnight renews the quota once. One that is further
 * ahead was begun by a wrong clock: it must not lock the client out until it is over.
 *
 * @param now milliseconds since 1970
 * @param answerable whether the request has no fault: a faulty one does not count for the day
 */
export function count(before: Usage | undefined, now: number, quota: Quota, answerable: boolean): Verdict {
  const today = dayOf(now);
  const day = before?.day === today + 1 ? before.day : today;
  // The absolute difference, because a clock that was set back must not lock clients out until it catches up.
  const running = before !== undefined && Math.abs(now - before.minuteStart) < MINUTE;
  const minuteStart = running ? before.minuteStart : now;
  const minuteCount = (running ? before.minuteCount : 0) + 1;
  const dayCount = before?.day === day ? before.dayCount : 0;
  return judge({ day, dayCount, minuteStart, minuteCount }, now, quota, answerable);
}

/**
 * Decides on one request.
 *
 * @param usage the counts with this request in those of the minute, and not yet in those of the day
 */
export function judge(usage: Usage, now: number, quota: Quota, answerable: boolean): Verdict {
  const { day, dayCount, minuteStart, minuteCount } = usage;
  if (quota.perMinute > 0 && minuteCount > quota.perMinute) {
    return { usage, refused: 'minute', retryAfter: secondsUntil(minuteStart + MINUTE, now) };
  }
  if (!answerable) return { usage, retryAfter: 1 };
  if (quota.daily > 0 && dayCount >= quota.daily) {
    return { usage, refused: 'day', retryAfter: secondsUntil((day + 1) * DAY, now) };
  }
  return { usage: { ...usage, dayCount: dayCount + 1 }, retryAfter: 1 };
}

function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1000));
}
