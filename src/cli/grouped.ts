/** A whole number as it is read: `94,254`. `toLocaleString` would load what Node knows of all languages first. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
