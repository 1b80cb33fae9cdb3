import type { SimilarSkill, Skill } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { languageAttributes } from '../frame/language-attributes.js';
import type { PageRequest } from '../frame/page-answer.js';
import { linkToSkill } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { counted, shownNumber } from '../frame/shown-text.js';
import { isWithoutVectors } from '../search/is-without-vectors.js';

const SHOWN = 6;
const MAX_DESCRIPTION = 180;

/**
 * Milliseconds that a page waits for similar skills. The first who asks may open the index of vectors, which takes
 * seconds in a large catalogue. It goes on being opened, and the next visit has them.
 */
const LONGEST_WAIT = 1000;

/**
 * The skills nearest to one by their vectors. Undefined where there are none, they cannot be found, or that takes too
 * long: the page is worth showing without them.
 */
export async function similarSkills(skill: Skill, request: PageRequest): Promise<Html | undefined> {
  const similar = await withinWait(findSimilar(skill, request));
  if (similar.length === 0) return undefined;
  return html`<section class="similar"><h2>Similar skills</h2>
<ul class="cards">${similar.map((one) => card(one, request.base))}</ul></section>`;
}

/** Never rejects: nobody may wait for it any more. */
async function findSimilar({ id }: Skill, { search, logFailure }: PageRequest): Promise<SimilarSkill[]> {
  try {
    return await search.similar(id, { limit: SHOWN });
  } catch (error) {
    if (!isWithoutVectors(error)) logFailure(error);
    return [];
  }
}

async function withinWait(finding: Promise<SimilarSkill[]>): Promise<SimilarSkill[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<SimilarSkill[]>((resolve) => {
    timer = setTimeout(() => resolve([]), LONGEST_WAIT);
  });
  return Promise.race([finding, late]).finally(() => clearTimeout(timer));
}

function card({ skill, copies }: SimilarSkill, base: string): Html {
  const { id, name, description, stars } = skill;
  const shown = shownLine(name);
  const line = shownLine(description);
  const short = line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : line;
  const counts = [stars > 0 && counted(stars, 'star'), copies > 1 && `${shownNumber(copies)} copies`].filter(Boolean);
  return html`<li class="card"><h3${languageAttributes(shown)}><a href="${linkToSkill(base, id)}">${shown || id}</a></h3>
<p${languageAttributes(line)}>${short}</p>
${counts.length > 0 && html`<p class="muted small">${counts.join(', ')}</p>`}</li>
`;
}
