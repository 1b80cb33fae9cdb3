import { SkillSearchError } from '../core/index.js';
import { type Quota, UNLIMITED } from './options.js';
import type { Verdict } from './usage.js';

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
