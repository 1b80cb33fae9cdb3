import { isUtf8 } from 'node:buffer';
import { checkChoice, invalidArgument, MAX_FILE_BYTES, parameterOf } from '../../core/index.js';
import type { ContentFile, SkillDetails, SkillSearch } from '../../index.js';
import type { Content } from '../call.js';
import { counted, type Html, html, shownLine, shownSize } from './html.js';
import { linkToSkill, type PageRequest, renderPage } from './page.js';
import { parametersOf } from './question-form.js';
import { excerptOf, fileList, markdownView, partLinks, pathsOf } from './skill-page.js';
import { linkToFile, sourceView, textPart } from './text-parts.js';

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
): Content | undefined | Promise<Content> {
  const query = readFileQuery(request.query);
  const file = readSkillFile(request.search, skill.id, path);
  if (file === undefined) return undefined;
  if (query.view === 'raw') return file.bytes === undefined ? undefined : download(file, file.bytes);
  return viewOf(skill, file, query, request);
}

/** @throws {SkillSearchError} `INVALID_PARAMETER` */
function readFileQuery(query: string): FileQuery {
  const values = parametersOf(query);
  const view = checkChoice(parameterOf('view'), givenOnce(values, 'view'), VIEWS);
  const part = givenOnce(values, 'part');
  if (part !== undefined && !/^[1-9]\d{0,5}$/.test(part))
    throw invalidArgument(parameterOf('part'), 'an integer from 1 on', part);
  return { view, part: Number(part ?? 1) };
}

function givenOnce(values: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = values.getAll(name);
  if (more.length > 0) throw invalidArgument(parameterOf(name), 'given once', [value, ...more]);
  return value;
}

/** Sent as a text or as bytes, and never shown: a browser would run what other types hold. */
function download({ facts, isText }: SkillFileView, bytes: Uint8Array<ArrayBuffer>): Content {
  // As RFC 8187 has it: what `encodeURIComponent` leaves, but for four characters.
  const name = encodeURIComponent(facts.path.split('/').at(-1) ?? '').replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return {
    headers: {
      'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
    body: bytes,
  };
}

async function viewOf(
  skill: SkillDetails,
  file: SkillFileView,
  query: FileQuery,
  request: PageRequest,
): Promise<Content> {
  const { base } = request;
  const { facts } = file;
  const name = shownLine(skill.name) || skill.id;
  const path = shownLine(facts.path) || facts.path;
  const isMarkdown = facts.mediaType === 'text/markdown';
  const view = query.view ?? (isMarkdown ? 'formatted' : 'source');
  const link = (parameters: Record<string, string | number | undefined>) =>
    linkToFile(base, skill.id, facts.path, parameters);
  const shown = await contentOf(skill, file, { ...query, view }, request);
  const other = view === 'formatted' ? 'source' : 'formatted';
  const otherName = other === 'source' ? 'Source' : 'Formatted';
  const byline = [
    html`<span>${shownSize(facts.size)}</span> <span>${facts.mediaType}</span>`,
    facts.executable && html` <span>executable</span>`,
    !facts.complete && html` <span>${excerptOf(skill)}</span>`,
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
  return renderPage({ title: `${path} of ${name}`, main, base, unlisted: true });
}

async function contentOf(
  { id }: SkillDetails,
  { facts, bytes, isText }: SkillFileView,
  { view, part: number }: FileQuery,
  { search, base }: PageRequest,
): Promise<Html> {
  if (bytes === undefined) return html`<p class="notice">The bytes of this file are not kept in this catalogue.</p>`;
  if (!isText)
    return html`<p class="notice">This file is not a text, so it is not shown. You can download it.</p>
<dl class="facts"><dt>Size</dt><dd>${facts.size.toLocaleString('en')} bytes</dd><dt>Kind</dt><dd>${facts.mediaType}</dd><dt>SHA-256</dt><dd><code>${facts.sha256}</code></dd></dl>`;
  const { text, isCut } = shownTextOf(bytes);
  const part = textPart(text, number);
  if (part === undefined) throw invalidArgument(parameterOf('part'), `at most ${textPart(text, 1)?.count}`, number);
  const shown =
    view === 'formatted'
      ? await markdownView(part, 2, { base, id, path: facts.path, files: pathsOf(search.contents(id)) })
      : sourceView(part);
  const links = partLinks(part, (other) => linkToFile(base, id, facts.path, { view, part: other }));
  const rest =
    isCut &&
    part.number === part.count &&
    html`<p class="notice">The first ${shownSize(MAX_FILE_BYTES)} are shown. The rest is in the file: <a href="${linkToFile(base, id, facts.path, { view: 'raw' })}" download>download it</a>.</p>`;
  return html`${text.trim() === '' ? html`<p class="muted">This file is empty.</p>` : shown}
${rest}${links}`;
}

/** All files of a skill: its own page names the first only. */
export function showFiles(skill: SkillDetails, { search, base }: PageRequest): Content {
  const files = search.contents(skill.id)?.files ?? [];
  const name = shownLine(skill.name) || skill.id;
  const main = html`<p class="way-back"><a href="${linkToSkill(base, skill.id)}"><span aria-hidden="true">←</span> <bdi>${name}</bdi></a></p>
<h1>${counted(files.length, 'file')}</h1>
${fileList(skill.id, files, base)}`;
  return renderPage({ title: `Files of ${name}`, main, base });
}

/** A file of a skill as pages show it. */
interface SkillFileView {
  readonly facts: ContentFile;
  /** Undefined if they are not kept. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Whether the bytes are a text in UTF-8. */
  readonly isText: boolean;
}

/**
 * A file of a skill: its bytes where they are kept, else what is searched of it.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
function readSkillFile(search: SkillSearch, id: string, path: string): SkillFileView | undefined {
  const facts = search.contents(id)?.files.find((file) => file.path === path);
  if (facts === undefined) return undefined;
  const kept = search.read(id, path) as Uint8Array<ArrayBuffer> | undefined;
  const text = kept === undefined && search.filenames(id).includes(path) ? search.file(id, path)?.text : undefined;
  const bytes = text === undefined ? kept : new TextEncoder().encode(text);
  return { facts, bytes, isText: bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) };
}

/** As much of a text as pages show, in parts: as much as is searched of a file. */
function shownTextOf(bytes: Uint8Array): { readonly text: string; readonly isCut: boolean } {
  const isCut = bytes.length > MAX_FILE_BYTES;
  const text = new TextDecoder().decode(isCut ? bytes.subarray(0, MAX_FILE_BYTES) : bytes);
  // A character that the cut goes through.
  return { text: isCut ? text.replace(/\ufffd$/, '') : text, isCut };
}
