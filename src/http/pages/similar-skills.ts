import type { SimilarSkill, Skill } from '../../index.js';
import { type Html, html } from './html.js';
import { languageAttributes } from './language-attributes.js';
import type { PageRequest } from './page-answer.js';
import { linkToSkill } from './page-paths.js';
import { shownLine } from './safe-text.js';
import { counted } from './shown-text.js';

const SHOWN = 6;
const MAX_DESCRIPTION = 180;

/** The skills nearest to one by their vectors. Undefined where there are none, or they cannot be found now. */
export async function similarSkills({ id }: Skill, { search, base }: PageRequest): Promise<Html | undefined> {
  // Most often a catalogue without vectors. Whatever it is, the page is worth showing without them.
  const similar = await search.similar(id, { limit: SHOWN }).catch((): SimilarSkill[] => []);
  if (similar.length === 0) return undefined;
  return html`<section class="similar"><h2>Similar skills</h2>
<ul class="cards">${similar.map(({ skill, copies }) => card(skill, copies, base))}</ul></section>`;
}

function card({ id, name, description, stars }: Skill, copies: number, base: string): Html {
  const shown = shownLine(name);
  const line = shownLine(description);
  const short = line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : line;
  const facts = [
    ...(stars > 0 ? [counted(stars, 'star')] : []),
    ...(copies > 1 ? [counted(copies, 'copy').replace('copys', 'copies')] : []),
  ];
  return html`<li class="card"><h3${languageAttributes(shown)}><a href="${linkToSkill(base, id)}">${shown || id}</a></h3>
<p${languageAttributes(line)}>${short}</p>
${facts.length > 0 && html`<p class="muted small">${facts.join(', ')}</p>`}</li>
`;
}
