import { type Html, html } from './html.js';
import { linkTo, PAGE_PATHS } from './page-paths.js';
import { siteSearch } from './site-search.js';

/** What a page consists of beside what all pages have. */
export interface PageView {
  /** Without the name of the service. Empty for the first page. */
  readonly title: string;
  /** For search engines. */
  readonly description?: string;
  /** What stands in `<main>`; it has the only `<h1>`. */
  readonly main: Html;
  /** The path of the public URL; see `PageRequest.base`. */
  readonly base: string;
  /** The page in the navigation that this is. */
  readonly current?: NavigationName;
  /** Whether the header has a box to search; false where `<main>` has one. @default true */
  readonly searchBox?: boolean;
  /** Whether search engines should leave the page out: errors, and answers to questions. @default false */
  readonly unlisted?: boolean;
}

/** The name of the service, as pages show it. */
const SERVICE_NAME = 'Skill Discovery';

/** Name, path and parameters of what the header links to. */
const NAVIGATION: readonly (readonly [
  name: NavigationName,
  path: string,
  parameters: Readonly<Record<string, string>>,
])[] = [
  ['Search', PAGE_PATHS.home, {}],
  ['Newest', PAGE_PATHS.home, { sortBy: 'recent' }],
  ['Most stars', PAGE_PATHS.home, { sortBy: 'stars' }],
];

/** Names of the navigation; see {@link PageView.current}. */
type NavigationName = 'Search' | 'Newest' | 'Most stars';

const STAR_SHAPE = 'M12 2l2.6 6.6L21 11l-6.4 2.4L12 20l-2.6-6.6L3 11l6.4-2.4z';
const STAR = html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${STAR_SHAPE}"/></svg>`;

/** A whole document: what all pages have, around what this one has. */
export function renderPage({ title, description, main, base, current, searchBox = true, unlisted }: PageView): string {
  const robots = unlisted === true ? html`<meta name="robots" content="noindex">` : undefined;
  const about = description === undefined ? undefined : html`<meta name="description" content="${description}">`;
  return html`<!doctype html>
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
${searchBox && siteSearch(base, 'site-search')}
<nav aria-label="Main">
${NAVIGATION.map(
  ([name, path, parameters]) =>
    html`<a href="${linkTo(base, path, parameters)}"${name === current && html` aria-current="page"`}>${name}</a>
`,
)}</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer class="site">
<p>Skills are written by many people. Read one before an agent runs it.</p>
<p>For programs: <a href="${base}/openapi.json">openapi.json</a></p>
</footer>
</body>
</html>
`.text;
}
