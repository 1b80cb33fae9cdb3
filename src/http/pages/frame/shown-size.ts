const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

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
