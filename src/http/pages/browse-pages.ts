import type { LabelCount } from '../../index.js';
import { type Html, html } from './frame/html.js';
import { renderPage } from './frame/layout.js';
import type { PageAnswer, PageRequest } from './frame/page-answer.js';
import { PAGE_HEADERS } from './frame/page-headers.js';
import { linkTo, PAGE_PATHS } from './frame/page-paths.js';
import { shownLine } from './frame/safe-text.js';
import { counted, shownNumber } from './frame/shown-text.js';
import { PAGE_SIZE } from './search/find-skills.js';
import { hitView } from './search/hit-view.js';
import { categoryGroups, categoryName, occupationName } from './search/label-names.js';
import { pagingView } from './search/paging.js';
import { type PageQuestion, type QuestionForm, questionOf, readForm } from './search/question-form.js';

/** Authors on a page: their names are short. */
const AUTHORS_ON_PAGE = 300;

/** All categories with their number of skills: those of the taxonomy in its groups, then all others. */
export function showCategories({ search, base }: PageRequest): PageAnswer {
  const all = search.categories();
  const left = new Map(all.map((one) => [one.slug, one]));
  const groups = categoryGroups().map(({ name, slugs }) => {
    const found = slugs.flatMap((slug) => left.get(slug) ?? []);
    for (const { slug } of found) left.delete(slug);
    return { name, found };
  });
  const named = groups.filter(({ found }) => found.length > 0);
  const rest = [...left.values()];
  const list = (labels: readonly LabelCount[]): Html => labelList(labels, 'category', categoryName, base);
  const main = html`<h1>Categories</h1>
<p class="muted">${counted(all.length, 'category').replace('categorys', 'categories')}, with the number of their skills.</p>
<div class="groups">${named.map(
    ({ name, found }) => html`<section class="card"><h2>${name}</h2>
${list(found)}</section>
`,
  )}</div>
${
  rest.length > 0 &&
  html`<h2>${named.length > 0 ? 'Others' : 'All'}</h2>
<div class="columns-list">${list(rest)}</div>`
}`;
  return page({ title: 'Categories', main, base, current: 'Categories' });
}

/** All occupations with their number of skills. */
export function showOccupations({ search, base }: PageRequest): PageAnswer {
  const all = search.occupations();
  const main = html`<h1>Occupations</h1>
<p class="muted">${all.length === 0 ? 'The skills of this catalogue name no occupations.' : `${counted(all.length, 'occupation')}, with the number of their skills.`}</p>
<div class="columns-list">${labelList(all, 'occupation', occupationName, base)}</div>`;
  return page({ title: 'Occupations', main, base });
}

/** All authors with their number of skills, page by page. */
export function showAuthors(request: PageRequest): PageAnswer {
  const { search, base } = request;
  const { page: at } = questionOf(formOf(request));
  const all = search.authors();
  const shown = all.slice((at - 1) * AUTHORS_ON_PAGE, at * AUTHORS_ON_PAGE);
  const main = html`<h1>Authors</h1>
<p class="muted">${counted(all.length, 'author')}, with the number of their skills.</p>
<div class="columns-list"><ul class="labels">${shown.map(
    ({
      author,
      count,
    }) => html`<li><a href="${linkTo(base, PAGE_PATHS.browse, { author })}"><bdi>${shownLine(author) || author}</bdi></a> <span class="count">${shownNumber(count)}</span></li>
`,
  )}</ul></div>
${shown.length === 0 && html`<p>This page is empty.</p>`}${pagingView(at, Math.ceil(all.length / AUTHORS_ON_PAGE), (to) => linkTo(base, PAGE_PATHS.authors, pageParameter(to)))}`;
  return page({ title: 'Authors', main, base, current: 'Authors' });
}

/** All skills, or those of a label or an author, by date or by stars, page by page. */
export function showBrowse(request: PageRequest): PageAnswer {
  const { search, base, logDamaged } = request;
  const form = formOf(request);
  const { sortBy, page: at, filters } = questionOf(form);
  const order = sortBy === 'stars' ? 'stars' : 'recent';
  const { hits, pagination, damaged } = search.list({ ...filters, sortBy: order, page: at, limit: PAGE_SIZE });
  logDamaged(damaged);
  const link = (changes: QuestionForm, to = 1): string => {
    const { q: _, mode: __, page: ___, ...rest } = form;
    return linkTo(base, PAGE_PATHS.browse, { ...rest, sortBy: order, ...changes, ...pageParameter(to) });
  };
  const title = titleOf(filters, order);
  const choice = (value: 'recent' | 'stars', name: string): Html =>
    html`<a href="${link({ sortBy: value })}"${value === order && html` aria-current="true"`}>${name}</a>`;
  const { q: _, mode: __, page: ___, sortBy: ____, ...narrowed } = form;
  const main = html`<h1><bdi>${shownLine(title)}</bdi></h1>
<div class="bar-row"><h2 class="summary">${counted(pagination.total, 'skill')}</h2>
<nav class="orders" aria-label="Order">${choice('recent', 'Newest')}${choice('stars', 'Most stars')}</nav>
${Object.keys(narrowed).length > 0 && html`<p><a href="${linkTo(base, PAGE_PATHS.home, narrowed)}">Search among these</a></p>`}</div>
<ol class="hits" start="${(at - 1) * PAGE_SIZE + 1}">
${hits.map((hit) => hitView(hit, base, { ...form, sortBy: order }))}</ol>
${hits.length === 0 && html`<p>There is nothing here.</p>`}${pagingView(at, pagination.totalPages, (to) => link({}, to))}`;
  const current = Object.keys(narrowed).length > 0 ? undefined : order === 'stars' ? 'Most stars' : 'Newest';
  return page({ title, main, base, ...(current === undefined ? {} : { current }) });
}

/** @throws {SkillSearchError} `INVALID_PARAMETER` */
function formOf({ query }: PageRequest): QuestionForm {
  const { form, fault } = readForm(query);
  if (fault !== undefined) throw fault;
  return form;
}

function titleOf({ category, occupation, author }: PageQuestion['filters'], order: 'recent' | 'stars'): string {
  const parts = [
    category === undefined ? undefined : categoryName(category),
    occupation === undefined ? undefined : occupationName(occupation),
    author === undefined ? undefined : `Skills of ${author}`,
  ].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(' · ');
  return order === 'stars' ? 'Most stars' : 'Newest skills';
}

function labelList(
  labels: readonly LabelCount[],
  field: 'category' | 'occupation',
  nameOf: (slug: string) => string,
  base: string,
): Html {
  return html`<ul class="labels">${labels.map(
    ({
      slug,
      count,
    }) => html`<li><a href="${linkTo(base, PAGE_PATHS.browse, { [field]: slug })}">${nameOf(slug)}</a> <span class="count">${shownNumber(count)}</span></li>
`,
  )}</ul>`;
}

function pageParameter(page: number): { readonly page?: number } {
  return page === 1 ? {} : { page };
}

function page(view: Parameters<typeof renderPage>[0]): PageAnswer {
  return { headers: PAGE_HEADERS, body: renderPage(view) };
}
