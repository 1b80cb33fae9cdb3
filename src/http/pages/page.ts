import type { DamagedSkill, SkillSearch } from '../../index.js';

/** The answer to a request for a page. */
export interface PageAnswer {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The body as gzip, where it is kept. @default texts are compressed each time, bytes never */
  readonly gzip?: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** What a page knows of its request. */
export interface PageRequest {
  readonly search: SkillSearch;
  /** The path, as sent. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Origin and path of the service, without a slash at its end. */
  readonly publicUrl: string;
  /** The path of the public URL: what links inside the pages begin with. Without a slash at its end. */
  readonly base: string;
  /** Seconds that a question may wait for others; 0 for no limit. */
  readonly longestWait: number;
  /** The address by which installers get a skill from this service; undefined if it is not published. */
  readonly installAddress: (id: string) => Promise<string | undefined>;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal | undefined;
  /** Waits until it is the client's turn again: what was read meanwhile took time. */
  readonly turn: () => Promise<void>;
  /** Logs skills that the answer lacks. */
  readonly logDamaged: (damaged: readonly DamagedSkill[] | undefined) => void;
  /** Logs why a part of the page is missing. */
  readonly logFailure: (error: unknown) => void;
}

/** Makes a page; undefined if there is none at this path after all. */
export type PageRoute = (request: PageRequest) => PageAnswer | undefined | Promise<PageAnswer | undefined>;

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
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
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
