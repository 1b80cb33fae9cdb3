import { MAX_LISTED } from '../../../core/index.js';
import type { ContentFile, SkillContents, SkillDetails, SkillSearch } from '../../../index.js';
import { UNKNOWN } from '../../../skill.js';
import { type Html, html } from '../frame/html.js';
import { linkTo, linkToSkill, PAGE_PATHS } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { shownSize } from '../frame/shown-size.js';
import { counted, shownDate, shownNumber } from '../frame/shown-text.js';
import { categoryChip } from '../search/hit-view.js';
import { occupationName } from '../search/label-names.js';
import { linkToFile } from '../text/file-links.js';

/** The names of a skill's files that its page lists. A skill may have a thousand. */
export const MAX_PAGE_FILES = 100;

/** Copies that are named. There may be hundreds. */
const SHOWN_COPIES = 10;

/** Who wrote a skill, its stars and its date, in a line. */
export function byline({ author, stars, updatedAt }: SkillDetails, base: string): Html {
  const date = shownDate(updatedAt);
  return html`<p class="byline">${
    author !== UNKNOWN &&
    html`<span>by ${filterLink(base, 'author', author)}</span>
`
  }${stars > 0 && html`<span>${counted(stars, 'star')}</span>`}
${date && html`<span>updated ${date}</span>`}</p>`;
}

/** What else is known of a skill. */
export function aboutSkill(skill: SkillDetails, { complete, files }: SkillContents, base: string): Html {
  const { categories, derivedCategories = [], occupations, tags, license, compatibility, allowedTools } = skill;
  const { installations = [] } = skill;
  const facts: [string, Html | false | undefined][] = [
    ['License', license !== undefined && filterLink(base, 'license', license)],
    ['Source', webLink(skill.codehostUrl)],
    ['Listed at', skill.skillUrl === skill.codehostUrl ? undefined : webLink(skill.skillUrl)],
    ['Categories', categoryChips(categories, derivedCategories, base)],
    ['Occupations', chips(base, 'occupation', occupations, occupationName)],
    ['Tags', chips(base, 'q', tags, (tag) => tag)],
    ['Compatibility', compatibility !== undefined && html`<span dir="auto">${shownLine(compatibility)}</span>`],
    ['Allowed tools', allowedTools !== undefined && html`<code>${shownLine(allowedTools)}</code>`],
    ['Agents', chips(base, 'agent', [...new Set(installations.map(({ agent }) => agent))], (agent) => agent)],
    ['Called by', skill.invocable === false && html`users only`],
    ['Contents', contentsFact(complete, files)],
    ['Id', html`<code>${shownLine(skill.id)}</code>`],
  ];
  const rows = facts.filter(([, value]) => value !== undefined && value !== false);
  return html`<section><h2>About</h2>
<dl class="facts">${rows.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
  )}</dl>${derivedCategories.length > 0 && html`<p class="muted small">A classifier gave the categories with a dashed line. The source of the skill names none.</p>`}</section>`;
}

function contentsFact(complete: boolean, files: readonly ContentFile[]): Html {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const kind = complete ? 'Complete: every file as it is' : 'Excerpt: not every file is here as it is';
  return html`${kind}, ${shownSize(bytes)}`;
}

/** The files of a skill with their sizes. */
export function filesOfSkill({ id }: SkillDetails, { files }: SkillContents, base: string): Html | undefined {
  if (files.length === 0) return undefined;
  const more = files.length - MAX_PAGE_FILES;
  return html`<section><h2>${counted(files.length, 'file')}</h2>
${fileList(id, files.slice(0, MAX_PAGE_FILES), base)}
${more > 0 && html`<p><a href="${linkToFile(base, id, '')}">and ${shownNumber(more)} more</a></p>`}</section>`;
}

/** A list of files, each a link to its view. */
export function fileList(id: string, files: readonly ContentFile[], base: string): Html {
  return html`<ul class="files">${files.map(
    ({
      path,
      size,
    }) => html`<li><a href="${linkToFile(base, id, path)}"><bdi>${shownLine(path) || path}</bdi></a> <span class="muted small">${shownSize(size)}</span></li>
`,
  )}</ul>`;
}

/** The other skills with the same text. */
export function copiesOfSkill({ id }: SkillDetails, search: SkillSearch, base: string): Html | undefined {
  const others = search.copiesOf(id).filter((other) => other !== id);
  if (others.length === 0) return undefined;
  const more = others.length - SHOWN_COPIES;
  // As many as are listed at once, without this one.
  const least = others.length >= MAX_LISTED - 1 ? 'At least ' : '';
  return html`<section><h2>${others.length === 1 ? '1 copy' : `${least}${shownNumber(others.length)} copies`}</h2>
<p class="muted small">Skills with the same name and description, or nearly the same text.</p>
<ul class="copies">${others.slice(0, SHOWN_COPIES).map(
    (other) => html`<li><a href="${linkToSkill(base, other)}"><bdi>${shownLine(other)}</bdi></a></li>
`,
  )}</ul>${more > 0 && html`<p class="muted">and ${least === '' ? shownNumber(more) : 'many'} more</p>`}</section>`;
}

/** A link if the text is an http or https URL; plain text otherwise. Undefined if it is unknown. */
function webLink(url: string): Html | undefined {
  if (url === UNKNOWN) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return html`<bdi>${shownLine(url)}</bdi>`;
  return html`<a rel="nofollow noopener noreferrer" href="${url}"><bdi>${shownLine(url.replace(/^https?:\/\/(?:www\.)?/i, ''))}</bdi></a>`;
}

/** A link to the skills with this value. */
function filterLink(base: string, name: 'author' | 'license', value: string): Html {
  const href = linkTo(base, PAGE_PATHS.home, { [name]: value });
  return html`<a href="${href}"><bdi>${shownLine(value) || value}</bdi></a>`;
}

function categoryChips(given: readonly string[], derived: readonly string[], base: string): Html | undefined {
  if (given.length + derived.length === 0) return undefined;
  const all = [
    given.map((slug) => categoryChip(slug, false, base)),
    derived.map((slug) => categoryChip(slug, true, base)),
  ];
  return html`<ul class="chips">${all}</ul>`;
}

function chips(
  base: string,
  field: 'occupation' | 'agent' | 'q',
  values: readonly string[],
  nameOf: (value: string) => string,
): Html | undefined {
  if (values.length === 0) return undefined;
  const path = field === 'q' ? PAGE_PATHS.home : PAGE_PATHS.home;
  return html`<ul class="chips">${values.map(
    (
      value,
    ) => html`<li><a class="chip" href="${linkTo(base, path, { [field]: value })}"><bdi>${shownLine(nameOf(value))}</bdi></a></li>
`,
  )}</ul>`;
}
