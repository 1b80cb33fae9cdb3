import type { Admission, Quota } from '../access/index.js';
import type { ErrorCode } from '../index.js';
import type { MinuteLeft } from './minute-limit.js';

/** The headers that tell a client its quota, as every description and every list of exposed headers has them. */
export const QUOTA_HEADERS = [
  'X-RateLimit-Daily-Limit',
  'X-RateLimit-Daily-Remaining',
  'X-RateLimit-Minute-Limit',
  'X-RateLimit-Minute-Remaining',
] as const;

/**
 * What an answered search tells of the day and of the minute.
 *
 * @param minute of a limit of its own, where that counts in place of the client's
 */
export function quotaHeaders(admission: Admission, minute?: MinuteLeft): Record<string, string> {
  return {
    'X-RateLimit-Daily-Limit': String(admission.dailyLimit),
    'X-RateLimit-Daily-Remaining': String(admission.dailyRemaining),
    ...minuteHeaders(minute ?? { limit: admission.minuteLimit, remaining: admission.minuteRemaining }),
  };
}

/** What an answer tells of the minute. */
export function minuteHeaders({ limit, remaining }: Pick<MinuteLeft, 'limit' | 'remaining'>): Record<string, string> {
  return { 'X-RateLimit-Minute-Limit': String(limit), 'X-RateLimit-Minute-Remaining': String(remaining) };
}

/** What a refused request tells: the limit that refuses it, of which nothing is left. */
export function exceededHeaders(
  code: ErrorCode | undefined,
  { daily, perMinute }: Quota,
): Readonly<Record<string, string>> {
  if (code === 'RATE_LIMIT_EXCEEDED') return minuteHeaders({ limit: perMinute, remaining: 0 });
  if (code !== 'DAILY_QUOTA_EXCEEDED') return {};
  return { 'X-RateLimit-Daily-Limit': String(daily), 'X-RateLimit-Daily-Remaining': '0' };
}
