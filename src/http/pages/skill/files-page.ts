import type { SkillDetails } from '../../../index.js';
import { html } from '../frame/html.js';
import { renderPage } from '../frame/layout.js';
import type { PageAnswer, PageRequest } from '../frame/page-answer.js';
import { PAGE_HEADERS } from '../frame/page-headers.js';
import { linkToSkill } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { counted } from '../frame/shown-text.js';
import { fileList } from './skill-facts.js';

/** All files of a skill: its own page names the first only. */
export function showFiles(skill: SkillDetails, { search, base }: PageRequest): PageAnswer {
  const files = search.contents(skill.id)?.files ?? [];
  const name = shownLine(skill.name) || skill.id;
  const main = html`<p class="way-back"><a href="${linkToSkill(base, skill.id)}"><span aria-hidden="true">←</span> <bdi>${name}</bdi></a></p>
<h1>${counted(files.length, 'file')}</h1>
${fileList(skill.id, files, base)}`;
  return { headers: PAGE_HEADERS, body: renderPage({ title: `Files of ${name}`, main, base }) };
}
