import type { Facet, SkillScope } from '../../../index.js';
import { type Html, html } from '../frame/html.js';
import { shownLine } from '../frame/safe-text.js';
import { shownNumber } from '../frame/shown-text.js';
import type { Found } from './find-skills.js';
import { categoryName, occupationName } from './label-names.js';
import { linkToForm, type QuestionForm } from './question-form.js';

/** Values of a facet that are shown at once; more are one click away. */
const SHOWN = 8;
const SHOWN_MORE = 20;

const FACET_NAMES: Readonly<Record<Facet, string>> = {
  category: 'Categories',
  occupation: 'Occupations',
  author: 'Authors',
  license: 'Licenses',
  agent: 'Agents',
  scope: 'Installed for',
};

/**
 * What the skills of the answer are: each value is a link that sets it as a filter, or takes it away. A number beside
 * it is what a click on it finds. Where meaning chooses the best skills there is no such number.
 */
export function facetsView({ facets, by, lacking }: Found, form: QuestionForm, base: string): Html {
  const isCounted = by === 'list' || form.mode === 'words' || lacking === 'model';
  return html`${(Object.keys(FACET_NAMES) as Facet[]).map((facet) => {
    const values = facets[facet] ?? [];
    const chosen = form[facet];
    if (values.length === 0 && chosen === undefined) return undefined;
    const isChosen = (value: string) => value.toLowerCase() === chosen?.toLowerCase();
    const item = (value: string, count: number | undefined): Html => {
      const name = html`<bdi>${shownLine(facetValueName(facet, value)) || value}</bdi>`;
      const amount = isCounted && count !== undefined && html` <span class="count">${shownNumber(count)}</span>`;
      return isChosen(value)
        ? html`<li><a class="chosen" aria-current="true" href="${linkToForm(base, form, { [facet]: undefined })}">${name}<span class="hidden-text"> (chosen; take away)</span>${amount}</a></li>`
        : html`<li><a href="${linkToForm(base, form, { [facet]: value })}">${name}${amount}</a></li>`;
    };
    const known = values.some(({ value }) => isChosen(value));
    const first = values.slice(0, SHOWN);
    const more = values.slice(SHOWN, SHOWN_MORE);
    return html`<section class="facet"><h3>${FACET_NAMES[facet]}</h3>
<ul>${chosen !== undefined && !known && item(chosen, undefined)}${first.map(({ value, count }) => item(value, count))}</ul>
${more.length > 0 && html`<details><summary>More</summary><ul>${more.map(({ value, count }) => item(value, count))}</ul></details>`}</section>
`;
  })}`;
}

/** A value of a facet as people read it. */
export function facetValueName(facet: Facet, value: string): string {
  if (facet === 'category') return categoryName(value);
  if (facet === 'scope') return SCOPE_NAMES.get(value) ?? value;
  return facet === 'occupation' ? occupationName(value) : value;
}

const SCOPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['project', 'A project'],
  ['user', 'A user'],
  ['plugin', 'A plugin'],
  ['system', 'All users'],
] satisfies [SkillScope, string][]);
