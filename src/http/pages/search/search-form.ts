import { type Html, html } from '../frame/html.js';
import { PAGE_PATHS } from '../frame/page-paths.js';
import { PAGE_MODES, type PageMode, type QuestionForm } from './question-form.js';

const MODE_NAMES: Readonly<Record<PageMode, string>> = { both: 'Both', words: 'Words', meaning: 'Meaning' };
/** As people read them: from one to the other, and then both. */
const SHOWN_MODES: readonly PageMode[] = ['words', 'meaning', 'both'];

const ORDERS = [
  ['relevance', 'Best first'],
  ['recent', 'Newest first'],
  ['stars', 'Most stars first'],
] as const;

/** Filters that nobody types: links of the answer set them. */
const CHOSEN_FIELDS = ['category', 'occupation', 'agent', 'scope'] as const;

/** The box, the switch and the order. Fields of {@link filterFields} belong to this form, wherever they stand. */
export function searchForm(form: QuestionForm, base: string): Html {
  const mode = PAGE_MODES.find((one) => one === form.mode) ?? PAGE_MODES[0];
  const modes = SHOWN_MODES.map((one) => {
    const box = html`<input type="radio" name="mode" value="${one}"${one === mode && html` checked`}>`;
    return html`<label>${box}<span>${MODE_NAMES[one]}</span></label>`;
  });
  return html`<form id="search" class="search" role="search" action="${base}${PAGE_PATHS.home}" method="get" autocomplete="off" data-search="${base}${PAGE_PATHS.pageSearch}">
<div class="box">
<label class="hidden-text" for="q">Search skills</label>
<input id="q" name="q" type="search" value="${form.q}" placeholder="What should the skill do?" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="2000" enterkeyhint="search">
<button>Search</button>
<ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
</div>
<div class="how">
<fieldset class="switch"><legend class="hidden-text">Search by</legend>${modes}</fieldset>
<label class="order"><span class="hidden-text">Order</span> <select name="sortBy">${optionsOf(ORDERS, form.sortBy ?? 'relevance')}</select></label>
</div>
${CHOSEN_FIELDS.map((field) => html`<input type="hidden" name="${field}" value="${form[field]}">`)}
</form>`;
}

const TYPED_FIELDS = ['author', 'license', 'minStars', 'updatedAfter', 'updatedBefore', 'invocable'] as const;

const CALLERS = [
  ['', 'Anybody'],
  ['true', 'Models'],
  ['false', 'Users only'],
] as const;

/** Filters that somebody types: folded up, and above the facets, whose height changes with each answer. */
export function filterFields(form: QuestionForm): Html {
  const isSet = TYPED_FIELDS.some((field) => form[field] !== undefined);
  return html`<details class="more-filters"${isSet && html` open`}><summary>Author, license, stars, date, caller</summary><div class="fields">
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
