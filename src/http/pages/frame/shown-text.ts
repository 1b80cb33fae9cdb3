import { type Html, html } from './html.js';
import { shownLine, shownProse } from './safe-text.js';

/** A number with commas: `94,254`. */
export function shownNumber(value: number): string {
  return value.toLocaleString('en');
}

/** `1 skill`, `2 skills`, `2 copies`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${shownNumber(count)} ${count === 1 ? noun : plural}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** `31 Jan 2026`; undefined for a time that is unknown. */
export function shownDate(unixSeconds: number): Html | undefined {
  const date = new Date(unixSeconds * 1000);
  if (unixSeconds === 0 || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return undefined;
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${DAY.format(date)}</time>`;
}

/** The beginning of a text, to the end of a word where there is one, in one line. */
export function beginningOf(text: string, length: number): string {
  const line = shownLine(text.slice(0, 2 * length));
  if (line.length <= length) return line;
  const cut = line.slice(0, length);
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A text with pieces of it marked; the pieces ascend and do not overlap. */
export function marked(text: string, pieces: readonly (readonly [start: number, end: number])[]): Html {
  let at = 0;
  const parts = pieces.map(([start, end]) => {
    const before = text.slice(at, start);
    at = end;
    return html`${shownProse(before)}<mark>${shownProse(text.slice(start, end))}</mark>`;
  });
  return html`${parts}${shownProse(text.slice(at))}`;
}

/** Where terms stand in a text, in upper or lower case; longer terms first. For short texts. */
export function placesOf(text: string, terms: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Some letters become longer in lower case: then places would be wrong.
  if (lower.length !== text.length) return [];
  const places: [number, number][] = [];
  for (const term of terms.toSorted((a, b) => b.length - a.length)) {
    if (term === '') continue;
    for (let at = lower.indexOf(term); at !== -1; at = lower.indexOf(term, at + term.length)) {
      const end = at + term.length;
      if (places.every(([from, to]) => end <= from || at >= to)) places.push([at, end]);
    }
  }
  return places.sort((a, b) => a[0] - b[0]);
}
