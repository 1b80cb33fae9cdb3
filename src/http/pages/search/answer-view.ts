import { type Html, html } from '../frame/html.js';
import { shownLine } from '../frame/safe-text.js';
import { counted } from '../frame/shown-text.js';
import { facetValueName } from './facets-view.js';
import { type Found, PAGE_SIZE } from './find-skills.js';
import { hitView } from './hit-view.js';
import { pagingView } from './paging.js';
import { FILTER_FIELDS, type FormField, hasFilters, linkToForm, type QuestionForm } from './question-form.js';

/** How many skills there are, in a sentence for everybody, those who cannot see the page too. */
export function summaryOf({ by, total, confident, truncated, step }: Found, form: QuestionForm): string {
  if (total === 0) return 'Nothing fits.';
  const order = form.sortBy === 'stars' ? ', most stars first' : form.sortBy === 'recent' ? ', newest first' : '';
  if (by === 'list') return `${counted(total, 'skill')}${order === '' ? ', newest first' : order}`;
  if (by !== 'words') {
    if (confident === false) return `Nothing fits well. The nearest ${counted(total, 'skill')}${order}:`;
    const how = by === 'both' ? 'by meaning and words' : 'by meaning';
    return order === ''
      ? `The best ${counted(total, 'skill')} ${how}`
      : `${counted(total, 'skill')} that fit ${how}${order}`;
  }
  const least = truncated === true ? 'At least ' : '';
  const some = step === 'some-words' ? ' with some of the words' : '';
  return `${least}${counted(total, 'skill')}${some}${order}`;
}

/** The answer: what was found and how, and the skills. The script puts it in the place of the one before. */
export function answerView(found: Found, form: QuestionForm, base: string): Html {
  const { hits, total, page, pages } = found;
  return html`<h2 class="summary">${summaryOf(found, form)}</h2>
${filterChips(form, base)}${notices(found, form, base)}${
  total === 0
    ? nothingFits(found, form, base)
    : html`<ol class="hits" start="${(page - 1) * PAGE_SIZE + 1}">
${hits.map((hit) => hitView(hit, base, form))}</ol>
${hits.length === 0 && html`<p>This page is empty. <a href="${linkToForm(base, form, {})}">The first page</a> is not.</p>`}`
}${total > 0 && pagingView(page, pages, (to) => linkToForm(base, form, { page: to }))}`;
}

function notices({ lacking, corrected = [], truncated, total }: Found, form: QuestionForm, base: string): Html {
  const read = total === 0 ? [] : corrected;
  const again = linkToForm(base, form, { page: form.page });
  const parts = [
    lacking === 'model' &&
      html`<p class="notice">This catalogue cannot be searched by meaning here, so these are found by words.</p>`,
    lacking === 'busy' && html`<p class="notice">${BUSY} <a href="${again}">Try again</a></p>`,
    read.map((correction) => correctionView(correction, form, base)),
    truncated === true &&
      html`<p class="notice">The question has very frequent words, so that not all skills were looked at.</p>`,
  ];
  return html`${parts}`;
}

const BUSY = 'Too many people ask by meaning just now, so these are found by words.';

function correctionView(
  { asked, read }: NonNullable<Found['corrected']>[number],
  form: QuestionForm,
  base: string,
): Html {
  const linkOf = (word: string): string => linkToForm(base, form, { q: replaced(form.q ?? '', asked, word) });
  const words = read.map((word, i) => html`${i > 0 && ', '}<a href="${linkOf(word)}"><bdi>${word}</bdi></a>`);
  return html`<p class="notice corrected">No skill has “<bdi>${asked}</bdi>”. These have ${words}.</p>`;
}

/** The question with a word read as another. */
function replaced(q: string, asked: string, word: string): string {
  const at = q.toLowerCase().indexOf(asked.toLowerCase());
  return at === -1 ? word : q.slice(0, at) + word + q.slice(at + asked.length);
}

function nothingFits({ by }: Found, form: QuestionForm, base: string): Html {
  const advice: Html[] = [];
  if (hasFilters(form)) {
    const fewer = Object.fromEntries(FILTER_FIELDS.map((field) => [field, undefined]));
    advice.push(html`<li><a href="${linkToForm(base, form, fewer)}">Ask without the filters</a></li>`);
  }
  if (by === 'words' && form.mode === 'words') {
    advice.push(html`<li><a href="${linkToForm(base, form, { mode: 'both' })}">Ask by meaning, too</a></li>`);
  }
  if (form.q !== undefined) advice.push(html`<li>Ask with fewer words, or with others.</li>`);
  return html`<div class="empty"><p>No skill of this catalogue is what was asked for.</p><ul>${advice}</ul></div>`;
}

const FILTER_NAMES: Readonly<Partial<Record<FormField, string>>> = {
  category: 'Category',
  occupation: 'Occupation',
  author: 'Author',
  license: 'License',
  minStars: 'Stars from',
  updatedAfter: 'Updated from',
  updatedBefore: 'Updated before',
  agent: 'Agent',
  scope: 'Installed for',
  invocable: 'Called by',
};

function shownValue(field: FormField, value: string): string {
  if (field === 'invocable') return value === 'true' ? 'models' : value === 'false' ? 'users only' : value;
  return field === 'category' || field === 'occupation' || field === 'scope' ? facetValueName(field, value) : value;
}

/** The filters that are set; each is a link that takes it away. */
function filterChips(form: QuestionForm, base: string): Html | undefined {
  const set = FILTER_FIELDS.filter((field) => form[field] !== undefined);
  if (set.length === 0) return undefined;
  return html`<ul class="chips filters-set" aria-label="Filters">${set.map((field) => {
    const value = form[field]!;
    const shown = html`${FILTER_NAMES[field]}: <bdi>${shownLine(shownValue(field, value))}</bdi>`;
    const cross = html`<span aria-hidden="true">✕</span><span class="hidden-text">(take away)</span>`;
    return html`<li><a class="chip" href="${linkToForm(base, form, { [field]: undefined })}">${shown} ${cross}</a></li>`;
  })}</ul>
`;
}
