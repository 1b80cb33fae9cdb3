import { createHash } from 'node:crypto';
import type { SkillDetails, SkillSearch } from '../index.js';
import { MAX_PAGE_FILES, MAX_PAGE_TEXT } from '../limits.js';
import { type Content, HTML_TYPE } from './call.js';
import { escapeHtml } from './escape-html.js';
import { describeApi } from './openapi.js';
import { PATHS } from './paths.js';
import { publicSkill } from './public-record.js';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'h1{line-height:1.2;overflow-wrap:anywhere}dt{color:#666}dd{margin:0 0 .5rem;overflow-wrap:anywhere}' +
  'pre{background:#f5f5f5;padding:1rem;white-space:pre-wrap;overflow-wrap:anywhere}code{overflow-wrap:anywhere}';

/** A page can neither load nor run anything, whatever the text of a skill contains. */
const HEADERS = {
  'Content-Type': HTML_TYPE,
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
} as const;

/**
 * The page at a path: the home page, the OpenAPI description, or a skill. Reads nothing before the page is made.
 *
 * @returns a function from the public URL of the service to the page, which is undefined if there is no such skill;
 *   undefined if no page can have the path
 */
export function answerPage(
  path: string,
  search: SkillSearch,
  compatible: boolean,
): ((publicUrl: string) => Content | undefined) | undefined {
  if (path === PATHS.home) return (publicUrl) => ({ headers: HEADERS, body: homePage(search, publicUrl) });
  if (path === PATHS.description) return (publicUrl) => ({ body: JSON.stringify(describeApi(publicUrl, compatible)) });
  const id = path.startsWith(PATHS.skills) ? decoded(path.slice(PATHS.skills.length)) : undefined;
  if (id === undefined) return undefined;
  return (publicUrl) => {
    const skill = search.get(id);
    return skill === undefined ? undefined : { headers: HEADERS, body: skillPage(skill, search, publicUrl) };
  };
}

function homePage(search: SkillSearch, publicUrl: string): string {
  const { skills, newest } = search.stats();
  const example = `${publicUrl}${PATHS.keyword}?q=release+notes`;
  return page('Skill discovery', [
    `<p>A search engine for agent skills: ${skills.toLocaleString('en')} of them, the newest of ${dateOf(newest)}.</p>`,
    `<p>By words: <code>curl ${escapeHtml(`'${example}'`)}</code></p>`,
    `<p>By meaning, with an API key: <code>curl -H 'Authorization: Bearer KEY' ${escapeHtml(`'${publicUrl}${PATHS.semantic}?q=tell+our+users+what+changed'`)}</code></p>`,
    `<p>The interface: <a href="${escapeHtml(`${publicUrl}${PATHS.description}`)}">openapi.json</a></p>`,
  ]);
}

function skillPage(details: SkillDetails, search: SkillSearch, publicUrl: string): string {
  const skill = publicSkill(details, { publicUrl, githubUrl: false });
  const filenames = search.filenames(skill.id);
  // Only the first file is read: together they may have megabytes.
  const first = filenames[0] === undefined ? undefined : search.file(skill.id, filenames[0]);
  const facts: [string, string | undefined][] = [
    ['Author', escapeHtml(skill.author)],
    ['Stars', skill.stars.toLocaleString('en')],
    ['Updated', dateOf(skill.updatedAt)],
    ['Code', details.codehostUrl === 'unknown' ? undefined : link(skill.codehostUrl)],
    ['Page', details.skillUrl === 'unknown' ? undefined : link(skill.skillUrl)],
    ['Categories', escapeHtml(details.categories.join(', '))],
    ['Occupations', escapeHtml(details.occupations.join(', '))],
    ['License', escapeHtml(details.license ?? '')],
    ['Files', escapeHtml(listed(filenames))],
    ['Id', escapeHtml(skill.id)],
  ];
  const rows = facts.filter(([, value]) => value !== undefined && value !== '');
  return page(skill.name, [
    `<p>${escapeHtml(skill.description)}</p>`,
    `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`,
    ...(first === undefined
      ? []
      : [`<h2>${escapeHtml(first.filename)}</h2><pre>${escapeHtml(shownText(first.text))}</pre>`]),
  ]);
}

function page(title: string, parts: readonly string[]): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${parts.join('')}</body></html>`;
}

/** A link if the text is an http or https URL; plain text otherwise. */
function link(url: string): string {
  return /^https?:\/\//i.test(url)
    ? `<a rel="nofollow noopener" href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
    : escapeHtml(url);
}

/** As much of a file's text as a page shows. */
export function shownText(text: string): string {
  return text.length > MAX_PAGE_TEXT ? `${text.slice(0, MAX_PAGE_TEXT)}…` : text;
}

function listed(filenames: readonly string[]): string {
  const more = filenames.length - MAX_PAGE_FILES;
  return filenames.slice(0, MAX_PAGE_FILES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function dateOf(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return unixSeconds === 0 || Number.isNaN(date.getTime()) ? 'unknown date' : date.toISOString().slice(0, 10);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
