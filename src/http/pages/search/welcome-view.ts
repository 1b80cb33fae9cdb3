import { type Html, html } from '../frame/html.js';
import type { PageRequest } from '../frame/page-answer.js';
import { linkTo, PAGE_PATHS } from '../frame/page-paths.js';
import { counted, shownDate, shownNumber } from '../frame/shown-text.js';
import { hitView } from './hit-view.js';
import { categoryName } from './label-names.js';

const SHOWN_CATEGORIES = 16;
const SHOWN_NEWEST = 5;

const EXAMPLES = [
  'write release notes from the git log',
  'review a pull request',
  'turn a spreadsheet into a chart',
  'pdf forms',
];

/** What stands below the box before anything is asked. */
export function welcomeView({ search, base }: PageRequest): Html {
  const { skills, newest } = search.stats();
  const categories = search.categories().slice(0, SHOWN_CATEGORIES);
  const { hits } = search.list({ sortBy: 'recent', limit: SHOWN_NEWEST, copies: 'collapse' });
  const updated = shownDate(newest);
  const age = updated !== undefined && html`, the newest of ${updated}`;
  const examples = EXAMPLES.map(
    (example, i) => html`${i > 0 && ', '}<a href="${linkTo(base, PAGE_PATHS.home, { q: example })}">${example}</a>`,
  );
  const newestFirst = linkTo(base, PAGE_PATHS.home, { sortBy: 'recent' });
  const mostStars = linkTo(base, PAGE_PATHS.home, { sortBy: 'stars' });
  return html`<p class="muted">${counted(skills, 'skill')}${age}. Try ${examples}.</p>
${
  categories.length > 0 &&
  html`<h2>Categories</h2>
<ul class="chips big">${categories.map((category) => categoryChip(category, base))}</ul>
`
}${
  hits.length > 0 &&
  html`<h2>Newest</h2>
<ol class="hits">
${hits.map((hit) => hitView(hit, base, {}))}</ol>
<p><a href="${newestFirst}">All, newest first</a> · <a href="${mostStars}">All, most stars first</a></p>`
}`;
}

function categoryChip({ slug, count }: { readonly slug: string; readonly count: number }, base: string): Html {
  const link = linkTo(base, PAGE_PATHS.home, { category: slug });
  const amount = html`<span class="count">${shownNumber(count)}</span>`;
  return html`<li><a class="chip" href="${link}">${categoryName(slug)} ${amount}</a></li>`;
}
