const DAY = 86_400;

/** How long ago something was, short enough for a column: `today`, `3 days`, `5 months`, `2 years`. */
export function ageOf(unixSeconds: number, now: number = Date.now() / 1000): string {
  if (unixSeconds <= 0) return 'unknown';
  const days = Math.floor((now - unixSeconds) / DAY);
  if (days < 1) return 'today';
  if (days < 31) return count(days, 'day');
  if (days < 365) return count(Math.floor(days / 30.44), 'month');
  return count(Math.floor(days / 365.25) || 1, 'year');
}

function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}
