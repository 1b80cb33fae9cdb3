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
