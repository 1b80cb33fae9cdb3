import type { Quota } from './options.js';

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
