import { decodePart } from '../../core/index.js';
import type { SkillDetails } from '../../index.js';
import { codeHtml, type Html, html, languageAttributes, raw, shownProse } from './html.js';
import type { MarkdownLink } from './markdown.js';
import { linkTo, PAGE_PATHS } from './page.js';

/**
 * The longest part of a file's text that a page shows at once, in UTF-16 units. A page of it has up to 100 KB, and
 * Markdown takes some tens of milliseconds. One text of a thousand is longer.
 */
export const MAX_PAGE_TEXT = 50_000;

/** Lines of a file's text that a page shows at once. Each is an element of its own. */
const MAX_PAGE_LINES = 2000;

/** A part of a text, as much as a page shows at once. */
export interface TextPart {
  readonly text: string;
  /** From 1 on. */
  readonly number: number;
  /** Number of parts of the text, at least 1. */
  readonly count: number;
  /** The number of its first line in the text, from 1 on. */
  readonly firstLine: number;
}

/**
 * A part of a text: up to {@link MAX_PAGE_TEXT} UTF-16 units and {@link MAX_PAGE_LINES} lines. Ends at the end of a
 * line where there is one in its second half.
 *
 * @param number from 1 on
 * @returns undefined if the text has fewer parts
 */
export function textPart(text: string, number: number): TextPart | undefined {
  let part: Omit<TextPart, 'count'> | undefined;
  let count = 0;
  let firstLine = 1;
  for (let start = 0; start < text.length || count === 0; ) {
    const { end, lines } = endOfPart(text, start);
    count++;
    if (count === number) part = { text: text.slice(start, end), number, firstLine };
    firstLine += lines;
    start = end;
  }
  return part === undefined ? undefined : { ...part, count };
}

/** @returns where the part ends, and how many ends of lines it has */
function endOfPart(text: string, start: number): { end: number; lines: number } {
  const limit = start + MAX_PAGE_TEXT;
  let end = start;
  let lines = 0;
  for (let at = start; at < limit && at < text.length && lines < MAX_PAGE_LINES; at++) {
    if (!isEndOfLine(text, at)) continue;
    end = at + 1;
    lines++;
  }
  if (lines === MAX_PAGE_LINES) return { end, lines };
  if (text.length <= limit) return { end: text.length, lines };
  if (end > start + MAX_PAGE_TEXT / 2) return { end, lines };
  // A line as long as a part: it is cut, but not inside of a character.
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(limit - 1, limit + 1));
  return { end: isPair ? limit - 1 : limit, lines };
}

/** Whether a line ends with this character: with LF, CR LF, or the CR of old. */
function isEndOfLine(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n');
}

/** A part of a text as it is written, with the numbers of its lines. Each line can be linked to: `#L12`. */
export function sourceView({ text, firstLine }: TextPart): Html {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  // The numbers are no part of the text: who copies it gets the text alone.
  return html`<pre class="source" dir="ltr" tabindex="0"><code>${lines.map((line, i) => {
    const number = firstLine + i;
    return html`<span class="line" id="L${number}" data-line="${number}">${raw(codeHtml(line))}
</span>`;
  })}</code></pre>`;
}

/** The longest value of a front matter that a page shows, in UTF-16 units. It can have 64 KB. */
const MAX_PAGE_VALUE = 1000;

/** The front matter of a skill as a table, without name and description, which its page shows anyway. */
export function frontMatterTable(skill: SkillDetails): Html | undefined {
  const { license, compatibility, allowedTools, metadata, frontMatter } = skill;
  const fields = frontMatter ?? { license, compatibility, 'allowed-tools': allowedTools, metadata };
  const rows = Object.entries(fields).filter(
    ([key, value]) => value !== undefined && key !== 'name' && key !== 'description',
  );
  if (rows.length === 0) return undefined;
  return html`<details class="front-matter"><summary>Front matter</summary>
<div class="table" role="group" aria-label="Front matter" tabindex="0"><table><tbody>
${rows.map(
  ([key, value]) => html`<tr><th scope="row">${cut(key)}</th><td>${valueHtml(value)}</td></tr>
`,
)}</tbody></table></div></details>`;
}

function valueHtml(value: unknown): Html {
  if (value === null || value === '') return html`<span class="muted">empty</span>`;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return html`${cut(value.join(', '))}`;
  if (typeof value === 'object') return html`<code>${cut(JSON.stringify(value))}</code>`;
  const text = cut(String(value));
  return html`<span${languageAttributes(text)}>${text}</span>`;
}

function cut(text: string): string {
  const shown = shownProse(text.slice(0, MAX_PAGE_VALUE).toWellFormed());
  return text.length > MAX_PAGE_VALUE ? `${shown}…` : shown;
}

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
  const isFile = segments.every((segment) => segment !== undefined && !/^\.{0,2}$|[/\0]/.test(segment));
  return isFile ? { id, file: segments.join('/') } : undefined;
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
