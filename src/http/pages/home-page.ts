import { html } from './html.js';
import { renderPage } from './layout.js';
import type { PageAnswer, PageRequest } from './page-answer.js';
import { PAGE_HEADERS } from './page-headers.js';

export function showHome({ search, base }: PageRequest): PageAnswer {
  const { skills } = search.stats();
  const main = html`<h1>Find an agent skill</h1>
<p>${skills.toLocaleString('en')} skills</p>`;
  return { headers: PAGE_HEADERS, body: renderPage({ title: '', main, base, current: 'Search' }) };
}
