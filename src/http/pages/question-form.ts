import { checkChoice, invalidArgument, parameterOf } from '../../core/index.js';
import { type SkillFilters, type SkillScope, type SkillSearchError, SORT_ORDERS, type SortOrder } from '../../index.js';
import { beginningOf, type Html, html, shownNumber } from './html.js';
import { linkTo, PAGE_PATHS } from './page.js';

/** Parameters in the address of a page that are read, the first ones. A form has fourteen. */
const MAX_PAGE_PARAMETERS = 100;

/** What decides which skills the page finds; the first is the default. */
const PAGE_MODES = ['both', 'words', 'meaning'] as const;
export type PageMode = (typeof PAGE_MODES)[number];

/** The fields of the search form, in the order in which links have them and faults are reported. */
const FIELDS = [
  'q',
  'mode',
  'page',
  'sortBy',
  'corrections',
  'category',
  'occupation',
  'author',
  'license',
  'minStars',
  'updatedAfter',
  'updatedBefore',
  'agent',
  'scope',
  'invocable',
] as const;
export type FormField = (typeof FIELDS)[number];

/** The fields that only narrow what is found. */
export const FILTER_FIELDS = FIELDS.slice(5) as readonly (FormField & keyof SkillFilters)[];

/** The form as somebody filled it in. Empty fields are absent: that is how browsers send what nobody touched. */
export type QuestionForm = Readonly<Partial<Record<FormField, string>>>;

/** Fields to set; those that are undefined are taken away. */
export type FormChanges = Partial<Record<FormField, string | number | undefined>>;

/** What a form asks. */
export interface PageQuestion {
  /** Empty if nothing is asked: then skills are listed. */
  readonly q: string;
  readonly mode: PageMode;
  readonly sortBy: SortOrder;
  readonly page: number;
  /** How its words are read: it is asked at each key. */
  readonly reading: { readonly asTyped: boolean; readonly corrections: boolean };
  /** Not checked: the search does that. */
  readonly filters: SkillFilters;
}

/** The first parameters of a query string: one may have thousands. */
export function parametersOf(query: string): URLSearchParams {
  return new URLSearchParams(query.split('&', MAX_PAGE_PARAMETERS).join('&'));
}

/** The fields of a query string, and what is wrong with it as such. Of a repeated field the first value counts. */
export function readForm(query: string): { readonly form: QuestionForm; readonly fault?: SkillSearchError } {
  const parameters = parametersOf(query);
  const form: Partial<Record<FormField, string>> = {};
  let fault: SkillSearchError | undefined;
  for (const field of FIELDS) {
    const [value, ...more] = parameters.getAll(field);
    // A NUL is in no text of a catalogue, and no form sends one.
    const shown = value?.replaceAll('\0', '').trim() ?? '';
    // A blank behind a question says that its last word is done.
    if (shown !== '') form[field] = field === 'q' && /\s$/.test(value!) ? `${shown} ` : shown;
    if (more.length > 0) fault ??= invalidArgument(parameterOf(field), 'given once', [value, ...more]);
  }
  return fault === undefined ? { form } : { form, fault };
}

/**
 * @throws {SkillSearchError} `INVALID_PARAMETER` for `mode`, `sortBy` or `page`; filters are for the search to check
 */
export function questionOf(form: QuestionForm): PageQuestion {
  const mode = checkChoice(parameterOf('mode'), form.mode, PAGE_MODES) ?? PAGE_MODES[0];
  const page = integerOf(form.page) ?? 1;
  if (typeof page !== 'number' || page < 1 || !Number.isSafeInteger(page)) {
    throw invalidArgument(parameterOf('page'), 'an integer of at least 1', form.page);
  }
  const sortBy = checkChoice(parameterOf('sortBy'), form.sortBy, SORT_ORDERS) ?? SORT_ORDERS[0];
  const { category, occupation, author, license, agent, scope } = form;
  const filters = {
    ...{ category, occupation, author, license },
    minStars: integerOf(form.minStars) as number | undefined,
    updatedAfter: integerOf(form.updatedAfter),
    updatedBefore: integerOf(form.updatedBefore),
    ...{ agent, scope: scope as SkillScope | undefined, invocable: flagOf(form.invocable) as boolean | undefined },
  };
  const reading = { asTyped: true, corrections: form.corrections !== 'false' };
  return { q: form.q ?? '', mode, sortBy, page, reading, filters };
}

/** Whether the form asks anything: without a question and filters the page welcomes. */
export function isAsked(form: QuestionForm): boolean {
  return form.q !== undefined || form.sortBy !== undefined || form.page !== undefined || hasFilters(form);
}

export function hasFilters(form: QuestionForm): boolean {
  return FILTER_FIELDS.some((field) => form[field] !== undefined);
}

/** A link to the search page with this form, some fields changed. Other pages of another question are not meant. */
export function linkToForm(base: string, form: QuestionForm, changes: FormChanges): string {
  const { page: _, ...rest } = form;
  const all: FormChanges = { ...rest, ...changes };
  if (all.mode === PAGE_MODES[0]) delete all.mode;
  if (all.sortBy === SORT_ORDERS[0]) delete all.sortBy;
  if (Number(all.page) === 1) delete all.page;
  return linkTo(base, PAGE_PATHS.home, Object.fromEntries(FIELDS.map((field) => [field, all[field]])));
}

/** Decimal digits as a number. Any other text stays as it is, for the check of the query to report. */
function integerOf(value: string | undefined): number | string | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** `true` and `false` as what they say. Likewise. */
function flagOf(value: string | undefined): boolean | string | undefined {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** As people read them: from one to the other, and then both. */
const SHOWN_MODES = [
  ['words', 'Words'],
  ['meaning', 'Meaning'],
  ['both', 'Both'],
] as const satisfies readonly (readonly [PageMode, string])[];

const ORDERS = [
  ['relevance', 'Best'],
  ['recent', 'Newest'],
  ['stars', 'Stars'],
] as const;

/** Filters that nobody types: links of the answer set them. */
const CHOSEN_FIELDS = ['category', 'occupation', 'agent', 'scope'] as const;

/** The box. What {@link howView} and {@link filterFields} show belongs to this form, too. At home it has the focus. */
export function searchForm(form: QuestionForm, base: string): Html {
  return html`<form id="search" class="search" role="search" action="${base}${PAGE_PATHS.home}" method="get" autocomplete="off" data-search="${base}${PAGE_PATHS.pageSearch}">
<div class="box">
<label class="hidden-text" for="q">Search skills</label>
<input id="q" name="q" type="search" value="${form.q}" placeholder="What should the skill do?" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="2000" enterkeyhint="search"${!isAsked(form) && html` autofocus`}>
<button>Search</button>
<ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
</div>
${CHOSEN_FIELDS.map((field) => html`<input type="hidden" name="${field}" value="${form[field]}">`)}
</form>`;
}

/** The switch and the order. What is listed without a question has the newest first; then the style sheet hides the rest. */
export function howView(form: QuestionForm): Html {
  const mode = PAGE_MODES.find((one) => one === form.mode) ?? PAGE_MODES[0];
  const modes = SHOWN_MODES.map(([one, name]) => {
    const box = html`<input form="search" type="radio" name="mode" value="${one}"${one === mode && html` checked`}>`;
    return html`<label>${box}<span>${name}</span></label>`;
  });
  const orders = form.q === undefined ? [['relevance', 'Newest'] as const, ...ORDERS.slice(1)] : ORDERS;
  return html`<div class="how">
<fieldset class="switch"><legend class="hidden-text">Search by</legend>${modes}</fieldset>
<label class="order"><span class="hidden-text">Order</span> <select form="search" name="sortBy">${optionsOf(orders, form.sortBy ?? 'relevance')}</select></label>
</div>`;
}

/** A value of a filter by time or number that the page offers: as links have it, its name, and as a number. */
type Step = readonly [field: 'updatedAfter' | 'minStars', value: string, name: string, least: number];

export function steps(): readonly Step[] {
  const past = (name: string, days: number): Step => {
    const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    return ['updatedAfter', day, name, Date.parse(day) / 1000];
  };
  const stars = [10, 100, 1000].map((n): Step => ['minStars', `${n}`, `${shownNumber(n)} or more`, n]);
  return [past('Past month', 30), past('Past year', 365), ...stars];
}

const CALLERS = [
  ['', 'Anybody'],
  ['true', 'Models'],
  ['false', 'Users only'],
] as const;

/** Filters that somebody types: folded up, and above the facets, whose height changes with each answer. */
export function filterFields(form: QuestionForm): Html {
  return html`<details class="more-filters"><summary>More filters</summary><div class="fields">
<label>Author <input form="search" name="author" value="${form.author}" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<label>License <input form="search" name="license" value="${form.license}" maxlength="200" autocomplete="off" spellcheck="false"></label>
<label>Stars, at least <input form="search" name="minStars" value="${form.minStars}" type="number" min="0" step="1" inputmode="numeric"></label>
<label>Updated from <input form="search" name="updatedAfter" value="${form.updatedAfter}" type="date"></label>
<label>Updated before <input form="search" name="updatedBefore" value="${form.updatedBefore}" type="date"></label>
<label>Called by <select form="search" name="invocable">${optionsOf(CALLERS, form.invocable ?? '')}</select></label>
<button form="search" class="quiet">Filter</button>
</div></details>`;
}

function optionsOf(options: readonly (readonly [value: string, name: string])[], chosen: string): readonly Html[] {
  return options.map(
    ([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`,
  );
}

/** Letters of a question where it is repeated. */
export const MAX_SHOWN_QUESTION = 60;

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
    q === undefined
      ? 'Back to the list'
      : html`Back to the results for <q dir="auto">${beginningOf(q, MAX_SHOWN_QUESTION)}</q>`
  }</a></p>`;
}

/** Links to the first, previous, next and last page; undefined if there is only one. */
export function pagingView(page: number, pages: number, linkOf: (page: number) => string): Html | undefined {
  if (pages <= 1 && page <= 1) return undefined;
  const step = (to: number, name: string, rel?: 'prev' | 'next'): Html =>
    to >= 1 && to <= pages && to !== page
      ? html`<a href="${linkOf(to)}"${rel !== undefined && html` rel="${rel}"`}>${name}</a>`
      : html`<span aria-disabled="true">${name}</span>`;
  const steps = [
    step(1, 'First'),
    step(Math.min(page - 1, pages), 'Previous', 'prev'),
    page <= pages && html`<span aria-current="page">Page ${shownNumber(page)} of ${shownNumber(pages)}</span>`,
    step(page + 1, 'Next', 'next'),
    step(pages, 'Last'),
  ];
  return html`<nav class="pages" aria-label="Pages">${steps}</nav>`;
}
