import { type Html, html } from '../frame/html.js';
import { shownNumber } from '../frame/shown-text.js';

/** Links to the first, previous, next and last page; undefined if there is only one. */
export function pagingView(page: number, pages: number, linkOf: (page: number) => string): Html | undefined {
  if (pages <= 1 && page <= 1) return undefined;
  const step = (to: number, name: string, rel?: 'prev' | 'next'): Html =>
    to >= 1 && to <= pages && to !== page
      ? html`<a href="${linkOf(to)}"${rel !== undefined && html` rel="${rel}"`}>${name}</a>`
      : html`<span aria-disabled="true">${name}</span>`;
  const steps = [
    step(1, 'First'),
    step(Math.min(page - 1, pages), 'Previous', 'prev'),
    html`<span aria-current="page">Page ${shownNumber(page)} of ${shownNumber(pages)}</span>`,
    step(page + 1, 'Next', 'next'),
    step(pages, 'Last'),
  ];
  return html`<nav class="pages" aria-label="Pages">${steps}</nav>`;
}
