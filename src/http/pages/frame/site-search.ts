import { type Html, html } from './html.js';
import { PAGE_PATHS } from './page-paths.js';

/** The search box of pages that are not the search page. */
export function siteSearch(base: string, className: 'site-search' | 'error-search'): Html {
  const box = html`<input type="search" name="q" aria-label="Search skills" placeholder="Search skills"`;
  const rules = html` autocomplete="off" maxlength="2000">`;
  const form = html`<form class="${className}" role="search" action="${base}${PAGE_PATHS.home}" method="get">`;
  return html`${form}${box}${rules}<button>Search</button></form>`;
}
