const DAY = 86_400;

/** The time since a moment, short enough for a column: `today`, `3 days`, `5 months`, `2 years`, `unknown` for 0. */
export function ageOf(unixSeconds: number, now: number = Date.now() / 1000): string {
  if (unixSeconds <= 0) return 'unknown';
  const days = Math.floor((now - unixSeconds) / DAY);
  if (days < 1) return 'today';
  if (days < 31) return count(days, 'day');
  if (days < 365) return count(Math.floor(days / 30.44), 'month');
  return count(Math.floor(days / 365.25) || 1, 'year');
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
