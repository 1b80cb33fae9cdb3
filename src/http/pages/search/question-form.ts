import { invalidArgument, parameterOf } from '../../../core/index.js';
import {
  type SkillFilters,
  type SkillScope,
  type SkillSearchError,
  SORT_ORDERS,
  type SortOrder,
} from '../../../index.js';
import { linkTo, PAGE_PATHS } from '../frame/page-paths.js';

/** Parameters in the address of a page that are read, the first ones. A form has fourteen. */
const MAX_PAGE_PARAMETERS = 100;

/** What decides which skills the page finds; the first is the default. */
export const PAGE_MODES = ['both', 'words', 'meaning'] as const;
export type PageMode = (typeof PAGE_MODES)[number];

/** The fields of the search form, in the order in which links have them and faults are reported. */
const FIELDS = [
  'q',
  'mode',
  'page',
  'sortBy',
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
export const FILTER_FIELDS = FIELDS.slice(4) as readonly (FormField & keyof SkillFilters)[];

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
    if (shown !== '') form[field] = shown;
    if (more.length > 0) fault ??= invalidArgument(parameterOf(field), 'given once', [value, ...more]);
  }
  return fault === undefined ? { form } : { form, fault };
}

/**
 * @throws {SkillSearchError} `INVALID_PARAMETER` for `mode`, `sortBy` or `page`; filters are for the search to check
 */
export function questionOf(form: QuestionForm): PageQuestion {
  const mode = choiceOf('mode', form.mode, PAGE_MODES);
  const page = integerOf(form.page) ?? 1;
  if (typeof page !== 'number' || page < 1 || !Number.isSafeInteger(page)) {
    throw invalidArgument(parameterOf('page'), 'an integer of at least 1', form.page);
  }
  const sortBy = choiceOf('sortBy', form.sortBy, SORT_ORDERS);
  const { category, occupation, author, license, agent, scope } = form;
  const filters = {
    ...{ category, occupation, author, license },
    minStars: integerOf(form.minStars) as number | undefined,
    updatedAfter: integerOf(form.updatedAfter),
    updatedBefore: integerOf(form.updatedBefore),
    ...{ agent, scope: scope as SkillScope | undefined, invocable: flagOf(form.invocable) as boolean | undefined },
  };
  return { q: form.q ?? '', mode, sortBy, page, filters };
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

function choiceOf<Choice extends string>(
  field: FormField,
  value: string | undefined,
  choices: readonly Choice[],
): Choice {
  const found = value === undefined ? choices[0] : choices.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalidArgument(parameterOf(field), `one of ${choices.join(', ')}`, value);
}

/** Decimal digits as a number. Any other text stays as it is, for the check of the query to report. */
function integerOf(value: string | undefined): number | string | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** `true` and `false` as what they say. Likewise. */
function flagOf(value: string | undefined): boolean | string | undefined {
  return value === 'true' ? true : value === 'false' ? false : value;
}
