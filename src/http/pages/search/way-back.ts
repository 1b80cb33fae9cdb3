import { type Html, html } from '../frame/html.js';
import { linkTo, linkToSkill, PAGE_PATHS } from '../frame/page-paths.js';
import { shownLine } from '../frame/safe-text.js';
import { isAsked, type QuestionForm, readForm } from './question-form.js';

const MAX_SHOWN = 60;

/** The link to a skill from a search or a list: it carries the question, so that the skill's page can lead back. */
export function linkToSkillFrom(base: string, id: string, form: QuestionForm): string {
  return linkToSkill(base, id) + linkTo('', '', form);
}

/**
 * The link back to a search or a list; undefined if the link here carried nothing of one. Only known fields are taken,
 * and they are encoded again.
 */
export function wayBack(base: string, query: string): Html | undefined {
  const { form } = readForm(query);
  const { q } = form;
  if (!isAsked(form)) return undefined;
  const href = linkTo(base, PAGE_PATHS.home, form);
  return html`<p class="way-back"><a href="${href}"><span aria-hidden="true">←</span> ${
    q === undefined ? 'Back to the list' : html`Back to the results for <q dir="auto">${short(q)}</q>`
  }</a></p>`;
}

function short(question: string): string {
  const shown = shownLine(question);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).toWellFormed()}…` : shown;
}
