import { readFile } from 'node:fs/promises';
import { dataFile } from '../../core/index.js';
import { SkillSearchError } from '../../index.js';
import type { Content } from '../call.js';
import { idOfFound } from '../search-operations.js';
import { showDocs } from './docs-page.js';
import { showFile, showFiles } from './file-page.js';
import { linkToSkill, PAGE_PATHS, type PageRequest, type PageRoute } from './page.js';
import { readForm } from './question-form.js';
import { answerPageSearch, showHome } from './search-page.js';
import { showSkill } from './skill-page.js';
import { readSkillPath } from './text-parts.js';

/** A path that people or their browsers ask for. */
export interface Page {
  readonly show: PageRoute;
  /** Against which limit of the minute a request counts: files that pages load cost nothing, and count for none. */
  readonly counted: (request: PageRequest) => 'pages' | 'searches' | undefined;
  /** Whether only our own pages may ask it, and nobody may keep it. @default false */
  readonly isForOwnPages?: boolean;
}

const free = (): undefined => undefined;

const ICON = asset('image/svg+xml', () => readFile(dataFile('page/icon.svg'), 'utf8'));

const PAGES: ReadonlyMap<string, Page> = new Map<string, Page>([
  [
    PAGE_PATHS.home,
    // The search page answers questions itself, and these count as those that its script asks.
    { show: showHome, counted: ({ query }) => (readForm(query).form.q === undefined ? 'pages' : 'searches') },
  ],
  [PAGE_PATHS.pageSearch, { show: answerPageSearch, counted: () => 'searches', isForOwnPages: true }],
  [PAGE_PATHS.docs, { show: showDocs, counted: () => 'pages' }],
  [PAGE_PATHS.robots, { show: showRobots, counted: free }],
  [PAGE_PATHS.styles, asset('text/css; charset=utf-8', readStyles)],
  [PAGE_PATHS.script, asset('text/javascript; charset=utf-8', readScript)],
  [PAGE_PATHS.icon, ICON],
  [PAGE_PATHS.favicon, ICON],
]);

/** The path of an id of `GET /api/search`: of a skill of GitHub, whose page is elsewhere. */
const FOUND_PATH = /^\/(?!api\/)([\w.-]+\/[\w.-]+)\/([a-z0-9][a-z0-9-]*)$/;

/**
 * The page at a path; undefined if none can be there. Reads nothing of the catalogue.
 *
 * @param compatible whether clients have ids of `GET /api/search`
 */
export function findPage(path: string, compatible: boolean): Page | undefined {
  const page = PAGES.get(path);
  if (page !== undefined) return page;
  const found = readSkillPath(path);
  const [, github, skillId] = (compatible && found === undefined && FOUND_PATH.exec(path)) || [];
  if (github !== undefined && skillId !== undefined) {
    const show: PageRoute = ({ search, base }) => {
      const id = idOfFound(search, github, skillId);
      return id === undefined ? undefined : { status: 302, headers: { Location: linkToSkill(base, id) }, body: '' };
    };
    return { show, counted: () => 'pages' };
  }
  if (found === undefined) return undefined;
  const { id, file } = found;
  const show: PageRoute = (request) => {
    const skill = request.search.get(id);
    if (skill === undefined) throw new SkillSearchError('ENDPOINT_NOT_FOUND', 'no skill has this id');
    if (file === undefined) return showSkill(skill, request);
    return file === '' ? showFiles(skill, request) : showFile(skill, file, request);
  };
  return { show, counted: () => 'pages' };
}

/** A file that pages load. It is read once in a process, unless it could not be read. */
function asset(type: string, read: () => Promise<string>): Page {
  let body: Promise<string> | undefined;
  const show = async (): Promise<Content> => {
    body ??= read().catch((error: unknown) => {
      body = undefined;
      throw error;
    });
    return { headers: { 'Content-Type': type }, body: await body, compressed: true };
  };
  return { show, counted: free };
}

async function readStyles(): Promise<string> {
  const styles = await readFile(dataFile('page/page.css'), 'utf8');
  return withoutIndents(styles.replace(/\/\*[\s\S]*?\*\//g, ''));
}

/** Each byte of a page takes time. No string of the styles or of the script has more than a line. */
function withoutIndents(text: string): string {
  return text.replace(/^\s+/gm, '');
}

/** What is used of `esbuild`. */
interface Compiler {
  transform(source: string, options: object): Promise<{ readonly code: string }>;
}

/** The script as tsc wrote it beside this module. Where this module runs from its sources, so does the script. */
async function readScript(): Promise<string> {
  const isSource = import.meta.url.endsWith('.ts');
  const script = await readFile(new URL(`../browser/page.${isSource ? 'ts' : 'js'}`, import.meta.url), 'utf8');
  if (!isSource) return withoutIndents(script);
  // Not named where it is imported: a bundle of this module must not ask for a package that only developers have.
  const compiler = 'esbuild';
  const { transform } = (await import(compiler)) as Compiler;
  return withoutIndents((await transform(script, { loader: 'ts', target: 'es2022' })).code);
}

/** What programs that read the whole web should leave alone: answers to questions, and what programs ask. */
function showRobots({ base }: PageRequest): Content {
  const paths = ['/api/', '/mcp', PAGE_PATHS.pageSearch, `${PAGE_PATHS.home}?`];
  const lines = ['User-agent: *', ...paths.map((path) => `Disallow: ${base}${path}`), ''];
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: lines.join('\n') };
}
