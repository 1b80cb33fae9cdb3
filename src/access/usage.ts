import type { Quota } from './options.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What a client has used. */
export interface Usage {
  /** Days since 1970, UTC. */
  readonly day: number;
  /** Requests of that day that were answered, or are being answered. */
  readonly dayCount: number;
  /** Milliseconds since 1970: the first request of the minute. */
  readonly minuteStart: number;
  readonly minuteCount: number;
}

/** Whether a request may go on, and what is used after it. */
export interface Verdict {
  readonly usage: Usage;
  readonly refused?: 'minute' | 'day';
  /** Seconds until the limit that refused is reset, at least 1. */
  readonly retryAfter: number;
}

/** @param now milliseconds since 1970 */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/**
 * Counts one request: for the minute in any case, for the day only if it will be answered and both limits leave room.
 *
 * @param now milliseconds since 1970
 * @param answerable whether the request is in order: a faulty one uses nothing of the day
 */
export function count(before: Usage | undefined, now: number, quota: Quota, answerable: boolean): Verdict {
  const day = dayOf(now);
  // A clock that was set back by more than a minute must not lock anybody out until it has caught up.
  const running = before !== undefined && Math.abs(now - before.minuteStart) < MINUTE;
  const minuteStart = running ? before.minuteStart : now;
  const minuteCount = (running ? before.minuteCount : 0) + 1;
  const dayCount = before?.day === day ? before.dayCount : 0;
  const usage = { day, dayCount, minuteStart, minuteCount };

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
