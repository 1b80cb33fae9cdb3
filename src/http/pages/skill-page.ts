import type { SkillDetails } from '../../index.js';
import { MAX_PAGE_FILES, MAX_PAGE_TEXT } from '../../limits.js';
import { type Html, html } from './html.js';
import { renderPage } from './layout.js';
import type { PageRequest, PageRoute } from './page-answer.js';
import { PAGE_HEADERS } from './page-headers.js';
import { PAGE_PATHS } from './page-paths.js';

/** The page of a skill; undefined if no skill can have this path. */
export function skillRoute(path: string): PageRoute | undefined {
  if (!path.startsWith(PAGE_PATHS.skills)) return undefined;
  const id = decoded(path.slice(PAGE_PATHS.skills.length));
  if (id === undefined || id === '') return undefined;
  return (request) => {
    const skill = request.search.get(id);
    return skill === undefined ? undefined : { headers: PAGE_HEADERS, body: skillPage(skill, request) };
  };
}

function skillPage(skill: SkillDetails, { search, base }: PageRequest): string {
  const filenames = search.filenames(skill.id);
  // Only the first file is read: together they may have megabytes.
  const first = filenames[0] === undefined ? undefined : search.file(skill.id, filenames[0]);
  const facts: [string, Html | string | undefined][] = [
    ['Author', skill.author],
    ['Stars', skill.stars.toLocaleString('en')],
    ['Updated', dateOf(skill.updatedAt)],
    ['Code', skill.codehostUrl === 'unknown' ? undefined : webLink(skill.codehostUrl)],
    ['Page', skill.skillUrl === 'unknown' ? undefined : webLink(skill.skillUrl)],
    ['Categories', skill.categories.join(', ')],
    ['Occupations', skill.occupations.join(', ')],
    ['License', skill.license],
    ['Files', listed(filenames)],
    ['Id', skill.id],
  ];
  const rows = facts.filter(([, value]) => value !== undefined && value !== '');
  const main = html`<h1 dir="auto">${skill.name}</h1>
<p dir="auto">${skill.description}</p>
<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${first !== undefined && html`<h2>${first.filename}</h2><pre>${shownText(first.text)}</pre>`}`;
  return renderPage({ title: skill.name, main, base });
}

/** A link if the text is an http or https URL; plain text otherwise. */
function webLink(url: string): Html {
  return /^https?:\/\//i.test(url) ? html`<a rel="nofollow noopener" href="${url}">${url}</a>` : html`${url}`;
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
