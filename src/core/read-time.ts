import { MAX_FILTER_TIME } from './limits.js';

/** A date, or a time with or without seconds and zone. */
const ISO_8601 =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>[Zz]|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a date or a time as ISO 8601 has it: `2026-01-31`, `2026-01-31T12:00:00Z`, `2026-01-31T13:00+01:00`. Without a
 * zone it is UTC; a date is its first moment.
 *
 * @returns Unix seconds, with a fraction if it has one, at most {@link MAX_FILTER_TIME}; undefined if it is no such
 *   text, or there is no such day
 */
export function readTime(text: string): number | undefined {
  const { date, time = '00:00', zone = 'Z' } = ISO_8601.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00Z`);
  // `Date.parse` takes the 30th of February for a day in March, and 24:00 for the next day.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const seconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`) / 1000;
  if (!isDay || time.startsWith('24') || Number.isNaN(seconds)) return undefined;
  return Math.min(seconds, MAX_FILTER_TIME);
}
