/** Numbers from here on are milliseconds. In seconds this would be the year 5138. */
const FIRST_MILLISECOND = 1e11;

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const ISO_8601 =
  /^[+-]?\d{4,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;

/**
 * Reads a time in seconds, milliseconds (numbers from 1e11 on), either also as text, or ISO 8601 (UTC if without a
 * zone).
 *
 * @returns Unix seconds, an integer; undefined if it is none of these or before 1970
 */
export function toUnixSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (NUMBER.test(text)) return fromNumber(Number(text));
  if (!ISO_8601.test(text)) return undefined;
  return fromNumber(Math.floor(Date.parse(utc(text)) / 1000), true);
}

function fromNumber(value: number, isSeconds = false): number | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  const seconds = !isSeconds && value >= FIRST_MILLISECOND ? value / 1000 : value;
  return Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER);
}

/** Rewrites a time for Date.parse, which would read a time without a zone as local time. */
function utc(text: string): string {
  const [date = '', time] = text
    .replace(',', '.')
    .replace(/\s+(?=[Z+-])/i, '')
    .split(/[T ]/i);
  if (time === undefined) return date;
  const zoned = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(time) ? time : `${time}Z`;
  return `${date}T${zoned.replace(/([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`)}`;
}
