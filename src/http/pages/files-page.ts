import type { SkillDetails } from '../../index.js';
import { html } from './html.js';
import { renderPage } from './layout.js';
import type { PageAnswer, PageRequest } from './page-answer.js';
import { PAGE_HEADERS } from './page-headers.js';
import { linkToSkill } from './page-paths.js';
import { shownLine } from './safe-text.js';
import { counted } from './shown-text.js';
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
