import { readAsset } from './assets.js';
import type { PageRequest, PageRoute } from './frame/page-answer.js';
import { PAGE_PATHS } from './frame/page-paths.js';
import { showRobots } from './robots.js';
import { showHome } from './search/home-page.js';
import { answerPageSearch } from './search/page-search.js';
import { readForm } from './search/question-form.js';
import { skillRoute } from './skill/skill-page.js';

/** A path that people or their browsers ask for. */
export interface Page {
  readonly show: PageRoute;
  /** Against which limit of the minute a request counts: files that pages load cost nothing, and count for none. */
  readonly counted: (request: PageRequest) => 'pages' | 'searches' | undefined;
  /** Whether only our own pages may ask it, and nobody may keep it. @default false */
  readonly forOwnPages?: boolean;
}

const PAGES: Readonly<Record<string, Page>> = {
  [PAGE_PATHS.home]: { show: showHome, counted: isQuestion },
  [PAGE_PATHS.pageSearch]: { show: answerPageSearch, counted: () => 'searches', forOwnPages: true },
  [PAGE_PATHS.robots]: { show: showRobots, counted: () => undefined },
};

/** The page at a path; undefined if none can be there. Reads nothing of the catalogue. */
export function findPage(path: string): Page | undefined {
  if (Object.hasOwn(PAGES, path)) return PAGES[path];
  const asset = readAsset(path);
  if (asset !== undefined) {
    const show = async () => asset.then(({ type, body, gzip }) => ({ headers: { 'Content-Type': type }, body, gzip }));
    return { show, counted: () => undefined };
  }
  const show = skillRoute(path);
  return show === undefined ? undefined : { show, counted: () => 'pages' };
}

/** The search page answers questions itself, and these count as those that its script asks. */
function isQuestion({ query }: PageRequest): 'pages' | 'searches' {
  return readForm(query).form.q === undefined ? 'pages' : 'searches';
}
