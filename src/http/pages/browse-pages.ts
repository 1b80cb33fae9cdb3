import { MAX_LISTED } from '../../core/index.js';
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

/** Categories with their number of skills: those of the taxonomy in its groups, then all others, page by page. */
export function showCategories(request: PageRequest): PageAnswer {
  const { search, base } = request;
  const { page: at } = questionOf(formOf(request));
  const left = new Map(search.categories(at).map((one) => [one.slug, one]));
  const groups = categoryGroups().map(({ name, slugs }) => {
    const found = slugs.flatMap((slug) => left.get(slug) ?? []);
    for (const { slug } of found) left.delete(slug);
    return { name, found };
  });
  const named = groups.filter(({ found }) => found.length > 0);
  const rest = [...left.values()];
  const list = (labels: readonly LabelCount[]): Html => labelList(labels, 'category', categoryName, base);
  const main = html`<h1>Categories</h1>
<p class="muted">${counted(search.stats().categories, 'category', 'categories')}, with the number of their skills.</p>
<div class="groups">${named.map(
    ({ name, found }) => html`<section class="card"><h2>${name}</h2>
${list(found)}</section>
`,
  )}</div>
${
  rest.length > 0 &&
  html`<h2>${named.length > 0 ? 'Others' : 'All'}</h2>
<div class="columns-list">${list(rest)}</div>`
}${paging(at, search.stats().categories, base, PAGE_PATHS.categories)}`;
  return page({ title: 'Categories', main, base, current: 'Categories' });
}

/** Occupations with their number of skills, page by page. */
export function showOccupations(request: PageRequest): PageAnswer {
  const { search, base } = request;
  const { page: at } = questionOf(formOf(request));
  const { occupations: all } = search.stats();
  const main = html`<h1>Occupations</h1>
<p class="muted">${all === 0 ? 'The skills of this catalogue name no occupations.' : `${counted(all, 'occupation')}, with the number of their skills.`}</p>
<div class="columns-list">${labelList(search.occupations(at), 'occupation', occupationName, base)}</div>${paging(at, all, base, PAGE_PATHS.occupations)}`;
  return page({ title: 'Occupations', main, base });
}

/** All authors with their number of skills, page by page. */
export async function showAuthors(request: PageRequest): Promise<PageAnswer> {
  const { search, base, turn } = request;
  const { page: at } = questionOf(formOf(request));
  // The first who asks has them all read.
  const all = search.countAuthors();
  await turn();
  const shown = search.authors(at);
  const main = html`<h1>Authors</h1>
<p class="muted">${counted(all, 'author')}, with the number of their skills.</p>
<div class="columns-list"><ul class="labels">${shown.map(
    ({
      author,
      count,
    }) => html`<li><a href="${linkTo(base, PAGE_PATHS.browse, { author })}"><bdi>${shownLine(author) || author}</bdi></a> <span class="count">${shownNumber(count)}</span></li>
`,
  )}</ul></div>
${shown.length === 0 && html`<p>This page is empty.</p>`}${paging(at, all, base, PAGE_PATHS.authors)}`;
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

function paging(at: number, all: number, base: string, path: string): Html | undefined {
  return pagingView(at, Math.ceil(all / MAX_LISTED), (to) => linkTo(base, path, pageParameter(to)));
}

function pageParameter(page: number): { readonly page?: number } {
  return page === 1 ? {} : { page };
}

function page(view: Parameters<typeof renderPage>[0]): PageAnswer {
  return { headers: PAGE_HEADERS, body: renderPage(view) };
}
