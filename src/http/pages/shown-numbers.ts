import { type Html, html } from './html.js';

const UNITS = ['B', 'kB', 'MB', 'GB'] as const;
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** Bytes for people: `512 B`, `1.2 kB`. */
export function shownSize(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit++;
  }
  const digits = unit > 0 && amount < 9.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${UNITS[unit]}`;
}

/** A day; undefined if the time is unknown, or none that a calendar has. */
export function shownDate(unixSeconds: number): Html | undefined {
  const date = new Date(unixSeconds * 1000);
  if (unixSeconds === 0 || Number.isNaN(date.getTime())) return undefined;
  return html`<time datetime="${date.toISOString()}">${DATE.format(date)}</time>`;
}

/** `1 file`, `1,234 files`. */
export function shownCount(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
