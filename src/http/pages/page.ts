import type { DamagedSkill, SkillSearch } from '../../index.js';
import type { Content } from '../call.js';
import { weightsOf } from '../encode-content.js';
import { type Html, html } from './html.js';

/** What a page knows of its request. */
export interface PageRequest {
  readonly search: SkillSearch;
  /** The path, as sent. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** The path of the public URL: what links inside the pages begin with. Without a slash at its end. */
  readonly base: string;
  /** Seconds that a question may wait for others; 0 for no limit. */
  readonly longestWait: number;
  /** The address by which installers get a skill from this service; undefined if it is not published. */
  readonly installAddress: (id: string) => Promise<string | undefined>;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal | undefined;
  /** The description of the API, as JSON. */
  readonly describe: () => Promise<string>;
  /** Waits until it is the client's turn again: what was read meanwhile took time. */
  readonly turn: () => Promise<void>;
  /** Logs skills that the answer lacks. */
  readonly logDamaged: (damaged: readonly DamagedSkill[] | undefined) => void;
  /** Logs why a part of the page is missing. */
  readonly logFailure: (error: unknown) => void;
}

/** Makes a page; undefined if there is none at this path after all. */
export type PageRoute = (request: PageRequest) => Content | undefined | Promise<Content | undefined>;

/** A page loads and asks nothing but what this service serves. No text of a skill can change that. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The paths of what people see, below the path of the public URL. */
export const PAGE_PATHS = {
  home: '/',
  /** Before the id of a skill. */
  skills: '/skills/',
  /** How programs ask. */
  docs: '/docs',
  /** What the search page asks as somebody types. */
  pageSearch: '/page/search',
  styles: '/assets/page.css',
  script: '/assets/page.js',
  icon: '/assets/icon.svg',
  /** Where browsers look for an icon by themselves. */
  favicon: '/favicon.ico',
  robots: '/robots.txt',
} as const;

/**
 * A link inside the pages, with its parameters. Those that are undefined or empty are left out.
 *
 * @param base the path of the public URL, without a slash at its end: `` or `/skills`
 */
export function linkTo(
  base: string,
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&');
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

/** A link to the page of a skill, below the path of the public URL or the whole of it. */
export function linkToSkill(base: string, id: string): string {
  return `${base}${PAGE_PATHS.skills}${encodeURIComponent(id)}`;
}

/** What a page consists of beside what all pages have. */
export interface PageView {
  /** @default 200 */
  readonly status?: number;
  /** Without the name of the service. Empty for the first page. */
  readonly title: string;
  /** For search engines. */
  readonly description?: string;
  /** What stands in `<main>`; it has the only `<h1>`. */
  readonly main: Html;
  /** The path of the public URL; see `PageRequest.base`. */
  readonly base: string;
  /** The box to search, in the header. @default one that leads to the search page */
  readonly searchBox?: Html;
  /** Whether search engines should leave the page out: errors, and answers to questions. @default false */
  readonly unlisted?: boolean;
}

/** The name of the service, as pages show it. */
const SERVICE_NAME = 'Skill Discovery';

const STAR_SHAPE = 'M12 2l2.6 6.6L21 11l-6.4 2.4L12 20l-2.6-6.6L3 11l6.4-2.4z';
const STAR = html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${STAR_SHAPE}"/></svg>`;

/** A whole document: what all pages have, around what this one has. */
export function renderPage(view: PageView): Content {
  const { status = 200, title, description, main, base, searchBox = siteSearch(base), unlisted } = view;
  const robots = unlisted === true ? html`<meta name="robots" content="noindex">` : undefined;
  const about = description === undefined ? undefined : html`<meta name="description" content="${description}">`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === '' ? SERVICE_NAME : `${title} · ${SERVICE_NAME}`}</title>
${about}${robots}<link rel="icon" href="${base}${PAGE_PATHS.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${base}${PAGE_PATHS.styles}">
<script type="module" src="${base}${PAGE_PATHS.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="brand" href="${base}/">${STAR}<span>${SERVICE_NAME}</span></a>
${searchBox}
<nav aria-label="Main">
<a href="${linkTo(base, PAGE_PATHS.home, { sortBy: 'recent' })}">Newest</a>
<a href="${linkTo(base, PAGE_PATHS.home, { sortBy: 'stars' })}">Most stars</a>
</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer class="site">
<p>Skills are written by many people. Read one before an agent runs it.</p>
<p>For programs: <a href="${base}${PAGE_PATHS.docs}">API</a></p>
</footer>
</body>
</html>
`;
  return { status, headers: PAGE_HEADERS, body: page.text, compressed: true };
}

/** The search box of pages that are not the search page. */
export function siteSearch(base: string, question = ''): Html {
  return html`<form class="site-search" role="search" action="${base}${PAGE_PATHS.home}" method="get">
<input type="search" name="q" value="${question}" aria-label="Search skills" placeholder="Search skills" autocomplete="off" maxlength="2000">
<button>Search</button></form>`;
}

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
  400: 'Invalid request',
  404: 'There is nothing here',
  405: 'Not in this way',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available now',
};

/** An error for people: what happened, and a way on. */
export function errorPage({ status, message, retryAfter, requestId, base }: PageError): Content {
  const title = TITLES[status] ?? 'This did not work';
  const newest = html`<a href="${linkTo(base, PAGE_PATHS.home, { sortBy: 'recent' })}">the newest skills</a>`;
  const main = html`<div class="error">
<p class="error-status">${status}</p>
<h1>${title}</h1>
<p><bdi>${sentenceOf(message)}</bdi></p>
${retryAfter !== undefined && html`<p>You can try again in ${retryAfter} ${retryAfter === '1' ? 'second' : 'seconds'}.</p>`}
<p>Search above, or look at ${newest}.</p>
${status >= 500 && html`<p class="muted small">The log of the service has this request as <code>${requestId}</code>.</p>`}
</div>`;
  return renderPage({ status, title, main, base, unlisted: true });
}

/** A message as a sentence. The name of a parameter at its beginning stays as it is written. */
function sentenceOf(message: string): string {
  const begun = /^\w+ must /.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/**
 * Whether a client would rather have HTML than JSON: it names HTML, with a weight of at least that of JSON. What takes
 * anything (as `curl` does) is a program.
 *
 * @param accept the header `Accept`; RFC 9110, 12.5.1
 */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = weightsOf(accept);
  const most = (...types: readonly string[]): number => Math.max(...types.map((type) => weights.get(type) ?? 0));
  const page = most('text/html', 'application/xhtml+xml');
  return page > 0 && page >= most('application/json', 'application/*', '*/*');
}
