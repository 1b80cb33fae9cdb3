import { type Html, html } from './html.js';
import { linkTo, PAGE_PATHS } from './page-paths.js';
import { shownLine } from './safe-text.js';

/** What a link to a skill may carry of the page that it stands on: the parameters of searches and lists. */
const KEPT = [
  'q',
  'mode',
  'sortBy',
  'page',
  'category',
  'occupation',
  'author',
  'license',
  'minStars',
  'updatedAfter',
  'updatedBefore',
] as const;
const MAX_VALUE = 2000;
const MAX_SHOWN = 60;

/**
 * The parameters of the page that led to this one, as its link carried them. Only known names are kept. They are
 * encoded again wherever they are written.
 */
export function readWayBack(query: string): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  const values = new URLSearchParams(query);
  for (const name of KEPT) {
    const value = values.get(name)?.replaceAll('\0', '') ?? '';
    if (value !== '' && value.length <= MAX_VALUE) kept[name] = value;
  }
  return kept;
}

/** The link back to a search or a list; undefined if the link here carried nothing of one. */
export function wayBack(base: string, query: string): Html | undefined {
  const kept = readWayBack(query);
  if (Object.keys(kept).length === 0) return undefined;
  const { q } = kept;
  const href = linkTo(base, q === undefined ? PAGE_PATHS.browse : PAGE_PATHS.home, kept);
  const shown = q === undefined ? '' : shownLine(q);
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).toWellFormed()}…` : shown;
  const text = q === undefined ? 'Back to the list' : html`Back to the results for <q dir="auto">${short}</q>`;
  return html`<p class="way-back"><a href="${href}"><span aria-hidden="true">←</span> ${text}</a></p>`;
}
