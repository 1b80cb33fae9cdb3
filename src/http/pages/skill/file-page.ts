import { invalidArgument, MAX_FILE_BYTES, parameterOf } from '../../../core/index.js';
import type { ContentFile, SkillDetails, SkillSearchError } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { renderPage } from '../frame/layout.js';
import type { PageAnswer, PageRequest } from '../frame/page-answer.js';
import { PAGE_HEADERS } from '../frame/page-headers.js';
import { linkToSkill } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { shownSize } from '../frame/shown-size.js';
import { parametersOf } from '../search/question-form.js';
import { linkToFile } from '../text/file-links.js';
import { sourceView } from '../text/source-view.js';
import { textPart } from '../text/text-parts.js';
import { readSkillFile, type SkillFileView, shownTextOf } from './skill-file.js';
import { markdownView, partLinks } from './skill-text.js';

/** How a file is shown: formatted, as it is written, or not at all but sent. */
const VIEWS = ['formatted', 'source', 'raw'] as const;
type View = (typeof VIEWS)[number];

interface FileQuery {
  /** Undefined if none was asked for. */
  readonly view: View | undefined;
  readonly part: number;
}

/**
 * The view of a file of a skill, or its bytes as a download.
 *
 * @throws {SkillSearchError} `INVALID_PARAMETER`, `DATABASE_DAMAGED`
 */
export function showFile(
  skill: SkillDetails,
  path: string,
  request: PageRequest,
): PageAnswer | undefined | Promise<PageAnswer> {
  const query = readFileQuery(request.query);
  const file = readSkillFile(request.search, skill.id, path);
  if (file === undefined) return undefined;
  if (query.view === 'raw') return file.bytes === undefined ? undefined : download(file, file.bytes);
  return viewOf(skill, file, query, request);
}

/** @throws {SkillSearchError} `INVALID_PARAMETER` */
function readFileQuery(query: string): FileQuery {
  const values = parametersOf(query);
  const view = givenOnce(values, 'view');
  if (view !== undefined && !VIEWS.includes(view as View)) throw faultOf('view', `one of ${VIEWS.join(', ')}`, view);
  const part = givenOnce(values, 'part');
  if (part !== undefined && !/^[1-9]\d{0,5}$/.test(part)) throw faultOf('part', 'an integer from 1 on', part);
  return { view: view as View | undefined, part: Number(part ?? 1) };
}

function givenOnce(values: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = values.getAll(name);
  if (more.length > 0) throw faultOf(name, 'given once', [value, ...more]);
  return value;
}

function faultOf(name: string, expected: string, got: unknown): SkillSearchError {
  return invalidArgument(parameterOf(name), expected, got);
}

/** Sent as a text or as bytes, and never shown: a browser would run what other types hold. */
function download({ facts, isText }: SkillFileView, bytes: Uint8Array<ArrayBuffer>): PageAnswer {
  const name = facts.path.split('/').at(-1) ?? '';
  return {
    headers: {
      'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
    body: bytes,
  };
}

/** As RFC 8187 has it: what `encodeURIComponent` leaves, but for four characters. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

async function viewOf(
  skill: SkillDetails,
  file: SkillFileView,
  query: FileQuery,
  { search, base }: PageRequest,
): Promise<PageAnswer> {
  const { facts } = file;
  const name = shownLine(skill.name) || skill.id;
  const path = shownLine(facts.path) || facts.path;
  const isMarkdown = facts.mediaType === 'text/markdown';
  const view = query.view ?? (isMarkdown ? 'formatted' : 'source');
  const link = (parameters: Record<string, string | number | undefined>) =>
    linkToFile(base, skill.id, facts.path, parameters);
  const shown = await contentOf(
    skill,
    file,
    { ...query, view },
    { base, link, files: search.contents(skill.id)?.files ?? [] },
  );
  const other = view === 'formatted' ? 'source' : 'formatted';
  const otherName = other === 'source' ? 'Source' : 'Formatted';
  const byline = [
    html`<span>${shownSize(facts.size)}</span> <span>${facts.mediaType}</span>`,
    facts.executable && html` <span>executable</span>`,
    !facts.complete && html` <span>excerpt</span>`,
  ];
  const actions = [
    isMarkdown && file.isText && html`<a class="button quiet" href="${link({ view: other })}">${otherName}</a> `,
    file.bytes !== undefined && html`<a class="button quiet" href="${link({ view: 'raw' })}" download>Download</a>`,
  ];
  const main = html`<p class="way-back"><a href="${linkToSkill(base, skill.id)}"><span aria-hidden="true">←</span> <bdi>${name}</bdi></a></p>
<div class="file-head"><h1><bdi>${path}</bdi></h1>
<p class="byline">${byline}</p>
<p class="file-actions">${actions}</p></div>
${shown}`;
  return { headers: PAGE_HEADERS, body: renderPage({ title: `${path} of ${name}`, main, base, unlisted: true }) };
}

interface FilePlace {
  readonly base: string;
  readonly link: (parameters: Record<string, string | number | undefined>) => string;
  readonly files: readonly ContentFile[];
}

async function contentOf(
  { id }: SkillDetails,
  { facts, bytes, isText }: SkillFileView,
  { view, part: number }: FileQuery,
  { base, link, files }: FilePlace,
): Promise<Html> {
  if (bytes === undefined) return html`<p class="notice">The bytes of this file are not kept in this catalogue.</p>`;
  if (!isText)
    return html`<p class="notice">This file is not a text, so it is not shown. You can download it.</p>
${factsOf(facts)}`;
  const { text, isCut } = shownTextOf(bytes);
  const part = textPart(text, number);
  if (part === undefined) throw faultOf('part', `at most ${textPart(text, 1)?.count}`, number);
  const shown =
    view === 'formatted'
      ? await markdownView({ part, id, path: facts.path, files, highestHeading: 2 }, base)
      : sourceView(part);
  const links = partLinks(part, (other) => link({ view, part: other }));
  const rest =
    isCut &&
    part.number === part.count &&
    html`<p class="notice">The first ${shownSize(MAX_FILE_BYTES)} are shown. The rest is in the file: <a href="${link({ view: 'raw' })}" download>download it</a>.</p>`;
  return html`${text.trim() === '' ? html`<p class="muted">This file is empty.</p>` : shown}
${rest}${links}`;
}

function factsOf({ sha256, mediaType, size }: ContentFile): Html {
  return html`<dl class="facts"><dt>Size</dt><dd>${size.toLocaleString('en')} bytes</dd><dt>Kind</dt><dd>${mediaType}</dd><dt>SHA-256</dt><dd><code>${sha256}</code></dd></dl>`;
}
