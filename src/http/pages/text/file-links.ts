import { decodePart } from '../../../core/index.js';
import { linkTo, PAGE_PATHS } from '../frame/page-paths.js';
import type { MarkdownLink } from './markdown-html.js';

/** Behind the id of a skill, before the path of a file. */
const FILES = 'files';

/** What a path below `/skills/` names. */
export interface SkillPath {
  readonly id: string;
  /** Of a file; empty for the list of files; undefined for the page of the skill. */
  readonly file: string | undefined;
}

/** How a file is shown; see `readFileView`. */
type FileParameters = Readonly<Record<string, string | number | undefined>>;

/** The link to the view of a file of a skill; to the list of its files for an empty path. */
export function linkToFile(base: string, id: string, path: string, parameters: FileParameters = {}): string {
  const segments = path === '' ? [] : path.split('/');
  const all = [encodeURIComponent(id), FILES, ...segments.map(encodeURIComponent)];
  return linkTo(base, PAGE_PATHS.skills + all.join('/'), parameters);
}

/**
 * Takes the path of a request apart.
 *
 * @returns undefined if it is none of a skill: not percent-encoded UTF-8, or with a segment that is empty, `.` or `..`,
 *   or that has a slash or NUL in it
 */
export function readSkillPath(path: string): SkillPath | undefined {
  if (!path.startsWith(PAGE_PATHS.skills)) return undefined;
  const [first = '', kind, ...rest] = path.slice(PAGE_PATHS.skills.length).split('/');
  const id = decodePart(first);
  if (id === undefined || id === '' || id.includes('\0')) return undefined;
  if (kind === undefined) return { id, file: undefined };
  if (kind !== FILES) return undefined;
  const segments = rest.map(decodePart);
  return segments.every(isSegment) ? { id, file: segments.join('/') } : undefined;
}

function isSegment(segment: string | undefined): segment is string {
  return segment !== undefined && !/^\.{0,2}$|[/\0]/.test(segment);
}

/** Where the links in a text of a skill lead. */
export interface LinkPlace {
  readonly base: string;
  readonly id: string;
  /** The path of the file that the text is in. */
  readonly path: string;
  /** The paths of all files of the skill. */
  readonly files: ReadonlySet<string>;
}

/**
 * Where a link that is written in a text of a skill leads: to an address of the web, to a mailbox, or to the view of
 * another file of the skill. Undefined for everything else.
 */
export function linkFromText(target: string, { base, id, path, files }: LinkPlace): MarkdownLink | undefined {
  if (/^(?:https?:\/\/|mailto:)/i.test(target)) {
    return URL.canParse(target) ? { href: new URL(target).href, isOutside: true } : undefined;
  }
  // Another scheme, or another host.
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^[\\?]/i.test(target)) return undefined;
  const [, written = '', fragment] = /^([^?#]*)[^#]*(?:#(.*))?$/s.exec(target) ?? [];
  const file = resolvePath(path, decodePart(written));
  if (file === undefined || !files.has(file)) return undefined;
  const anchor = fragment === undefined || fragment === '' ? '' : `#md-${encodeURIComponent(fragment.toWellFormed())}`;
  return { href: linkToFile(base, id, file) + anchor, isOutside: false };
}

/** The path that a relative one means, seen from a file; undefined if it leads out of the skill. */
function resolvePath(from: string, target: string | undefined): string | undefined {
  if (target === undefined || target === '') return undefined;
  const segments = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of target.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}
