import { readAsset } from './assets.js';
import { showHome } from './home-page.js';
import type { PageRequest, PageRoute } from './page-answer.js';
import { PAGE_PATHS } from './page-paths.js';
import { showRobots } from './robots.js';
import { skillRoute } from './skill-page.js';

/** A path that people or their browsers ask for. */
export interface Page {
  readonly show: PageRoute;
  /** Against which limit of the minute a request counts: files that pages load cost nothing, and count for none. */
  readonly counted: (request: PageRequest) => 'pages' | 'searches' | undefined;
}

const PAGES: Readonly<Record<string, Page>> = {
  [PAGE_PATHS.home]: { show: showHome, counted: () => 'pages' },
  [PAGE_PATHS.robots]: { show: showRobots, counted: () => undefined },
};

/** The page at a path; undefined if none can be there. Reads nothing of the catalogue. */
export function findPage(path: string): Page | undefined {
  if (Object.hasOwn(PAGES, path)) return PAGES[path];
  const asset = readAsset(path);
  if (asset !== undefined) {
    const show = async () => asset.then(({ type, body }) => ({ headers: { 'Content-Type': type }, body }));
    return { show, counted: () => undefined };
  }
  const show = skillRoute(path);
  return show === undefined ? undefined : { show, counted: () => 'pages' };
}
