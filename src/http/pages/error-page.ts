import { html } from './frame/html.js';
import { renderPage } from './frame/layout.js';
import type { PageAnswer } from './frame/page-answer.js';
import { PAGE_HEADERS } from './frame/page-headers.js';
import { linkTo, PAGE_PATHS } from './frame/page-paths.js';
import { siteSearch } from './frame/site-search.js';

/** An error as its page tells it. */
export interface PageError {
  readonly status: number;
  /** The text that programs get. */
  readonly message: string;
  /** Seconds; undefined if asking again is not the way on. */
  readonly retryAfter: string | undefined;
  /** By which the log of the service knows the request. */
  readonly requestId: string;
  /** The path of the public URL; see `PageRequest.base`. */
  readonly base: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This cannot be asked',
  404: 'There is nothing here',
  405: 'Not in this way',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available now',
};

/** An error for people: what happened, and a way on. */
export function errorPage({ status, message, retryAfter, requestId, base }: PageError): PageAnswer {
  const title = TITLES[status] ?? 'This did not work';
  const newest = html`<a href="${linkTo(base, PAGE_PATHS.home, { sortBy: 'recent' })}">the newest skills</a>`;
  const main = html`<div class="error">
<p class="error-status">${status}</p>
<h1>${title}</h1>
<p><bdi>${sentenceOf(message)}</bdi></p>
${retryAfter !== undefined && html`<p>You can try again in ${retryAfter} ${retryAfter === '1' ? 'second' : 'seconds'}.</p>`}
${siteSearch(base, 'error-search')}
<p>Or look at ${newest}.</p>
${status >= 500 && html`<p class="muted small">The log of the service has this request as <code>${requestId}</code>.</p>`}
</div>`;
  return { status, headers: PAGE_HEADERS, body: renderPage({ title, main, base, searchBox: false, unlisted: true }) };
}

/** A message as a sentence. */
function sentenceOf(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** What a program may accept beside HTML; the weight of the best of them counts. */
const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/**
 * Whether a client would rather have HTML than JSON: it names HTML, with a weight of at least that of JSON. What takes
 * anything (as `curl` does) is a program.
 *
 * @param accept the header `Accept`; RFC 9110, 12.5.1
 */
export function prefersHtml(accept: string | undefined): boolean {
  let [page, data] = [0, 0];
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = weightOf(parameters);
    if (HTML_TYPES.has(type)) page = Math.max(page, weight);
    else if (JSON_TYPES.has(type)) data = Math.max(data, weight);
  }
  return page > 0 && page >= data;
}

function weightOf(parameters: readonly string[]): number {
  const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (written === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(written) ? Number(written) : 0;
}
