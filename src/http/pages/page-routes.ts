import { readFile } from 'node:fs/promises';
import { dataFile } from '../../core/index.js';
import { gzipped } from '../encode-content.js';
import { showFile, showFiles } from './file-page.js';
import { PAGE_PATHS, type PageAnswer, type PageRequest, type PageRoute } from './page.js';
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

/** A file that pages load. */
interface Asset {
  readonly type: string;
  readonly body: string;
  /** The body as gzip, made once. */
  readonly gzip: () => Promise<Uint8Array<ArrayBuffer>>;
}

const DATA = dataFile('page/');

const ASSETS: Readonly<Record<string, readonly [type: string, read: () => Promise<string>]>> = {
  [PAGE_PATHS.styles]: ['text/css; charset=utf-8', () => readStyles('page', 'skill')],
  [PAGE_PATHS.script]: ['text/javascript; charset=utf-8', () => readScripts()],
  [PAGE_PATHS.icon]: ['image/svg+xml', () => readFile(new URL('icon.svg', DATA), 'utf8')],
  [PAGE_PATHS.favicon]: ['image/svg+xml', () => readFile(new URL('icon.svg', DATA), 'utf8')],
};

const read = new Map<string, Promise<Asset>>();

/** The file at a path; undefined if it is none that pages load. Each is read once in a process. */
function readAsset(path: string): Promise<Asset> | undefined {
  const found = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined;
  if (found === undefined) return undefined;
  const known = read.get(path);
  if (known !== undefined) return known;
  const [type, open] = found;
  const asset = open().then((body) => {
    let kept: Promise<Uint8Array<ArrayBuffer>> | undefined;
    return {
      ...{ type, body },
      gzip: () => {
        kept ??= gzipped(body, true);
        return kept;
      },
    };
  });
  read.set(path, asset);
  // Otherwise a file that could not be read once would be missing for as long as the process lives.
  asset.catch(() => read.delete(path));
  return asset;
}

/** What is used of `esbuild`. */
interface Compiler {
  transform(source: string, options: object): Promise<{ readonly code: string }>;
}

/** One file for a browser, without comments and indents: each request of a page takes time, and each byte. */
async function readStyles(...names: readonly string[]): Promise<string> {
  return (await Promise.all(names.map((name) => readFile(new URL(`${name}.css`, DATA), 'utf8'))))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s+/gm, '');
}

/** The second one exports nothing, and gets a block for its names. */
async function readScripts(): Promise<string> {
  const [page, copyButtons] = await Promise.all([readScript('page'), readScript('copy-buttons')]);
  const both = `${page}\n{\n${copyButtons.replace(/^export \{\};?$/m, '')}\n}\n`;
  // None of their strings has more than a line.
  return both.replace(/^\s+/gm, '');
}

/** The script as tsc wrote it beside this module. Where this module runs from its sources, so does the script. */
async function readScript(name: string): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) {
    return readFile(new URL(`../browser/${name}.js`, import.meta.url), 'utf8');
  }
  const source = await readFile(new URL(`../browser/${name}.ts`, import.meta.url), 'utf8');
  // Not named where it is imported: a bundle of this module must not ask for a package that only developers have.
  const compiler = 'esbuild';
  const { transform } = (await import(compiler)) as Compiler;
  return (await transform(source, { loader: 'ts', target: 'es2022' })).code;
}

/** What programs that read the whole web should leave alone: answers to questions, and what programs ask. */
function showRobots({ base }: PageRequest): PageAnswer {
  const paths = ['/api/', '/mcp', PAGE_PATHS.pageSearch, `${PAGE_PATHS.home}?`];
  const lines = ['User-agent: *', ...paths.map((path) => `Disallow: ${base}${path}`), ''];
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: lines.join('\n') };
}

/**
 * The pages of a skill: its own, the list of its files, and each of these; undefined if no skill can have this path.
 */
function skillRoute(path: string): PageRoute | undefined {
  const found = readSkillPath(path);
  if (found === undefined) return undefined;
  const { id, file } = found;
  return (request) => {
    const skill = request.search.get(id);
    if (skill === undefined) return undefined;
    if (file === undefined) return showSkill(skill, request);
    return file === '' ? showFiles(skill, request) : showFile(skill, file, request);
  };
}
