import { readFileSync } from 'node:fs';
import { dataFile, repositoryOf } from '../../core/index.js';
import type {
  CorrectedWord,
  FacetCount,
  RankingFeature,
  ScoredField,
  Skill,
  SkillScope,
  Snippet,
} from '../../index.js';
import { UNKNOWN } from '../../skill.js';
import { type CountedField, type Found, type FoundHit, PAGE_SIZE } from './find-skills.js';
import {
  beginningOf,
  counted,
  type Html,
  html,
  languageAttributes,
  marked,
  otherLanguage,
  placesOf,
  shownDate,
  shownLine,
  shownNumber,
  starsView,
} from './html.js';
import { linkTo, linkToSkill, PAGE_PATHS, type PageRequest } from './page.js';
import {
  FILTER_FIELDS,
  type FormField,
  hasFilters,
  linkToForm,
  MAX_SHOWN_QUESTION,
  pagingView,
  type QuestionForm,
  steps,
} from './question-form.js';

/** How many skills there are, in a sentence for everybody, those who cannot see the page too. */
export function summaryOf({ by, total, good, truncated, step }: Found, form: QuestionForm): string {
  if (total === 0)
    return form.q === undefined
      ? 'No results'
      : `No results for “\u2068${beginningOf(form.q, MAX_SHOWN_QUESTION)}\u2069”`;
  const order = orderOf(form);
  if (by === 'list' && form.sortBy === 'stars' && !hasFilters(form))
    return `One skill each of the ${counted(total, 'repository', 'repositories')} with the most stars`;
  if (by === 'list') return `${counted(total, 'skill')}${order || ', newest first'}`;
  if (good !== undefined) {
    if (good.size === 0) return `Nothing fits well. The nearest ${counted(total, 'skill')}${order}:`;
    const how = by === 'both' ? 'by meaning and words' : 'by meaning';
    if (order !== '') return `${counted(total, 'skill')} that fit ${how}${order}`;
    const others = good.size < total ? ', and others that are less likely' : '';
    return `${counted(good.size, 'good hit')} ${how}${others}`;
  }
  const least = truncated === true ? 'At least ' : '';
  const some = step === 'some-words' ? ' with some of the words' : '';
  return `${least}${counted(total, 'skill')}${some}${order}`;
}

/** Empty for the best first. */
function orderOf({ sortBy }: QuestionForm): string {
  return sortBy === 'stars' ? ', most stars first' : sortBy === 'recent' ? ', newest first' : '';
}

/** The answer: what was found and how, and the skills. The script puts it in the place of the one before. */
export function answerView(found: Found, form: QuestionForm, base: string): Html {
  const { hits, total, page, pages, good } = found;
  const isRuled = good !== undefined && good.size > 0 && orderOf(form) === '';
  const likely = isRuled ? hits.filter(({ skill }) => good.has(skill.id)).length : hits.length;
  const listOf = (from: number, to?: number): Html =>
    html`<ol class="hits" start="${(page - 1) * PAGE_SIZE + from + 1}">
${hits.slice(from, to).map((hit) => hitView(hit, base, form, good))}</ol>`;
  return html`<h1 class="hidden-text">Skills</h1><h2 class="summary">${summaryOf(found, form)}</h2>
${filterChips(form, base)}${notices(found, form, base)}${
  total === 0
    ? nothingFits(found, form, base)
    : html`${likely > 0 && listOf(0, likely)}${
        likely < hits.length &&
        html`<h2 class="less-likely">Less likely</h2>
${listOf(likely)}`
      }
${hits.length === 0 && html`<p>This page is empty. <a href="${linkToForm(base, form, {})}">The first page</a> is not.</p>`}`
}${total > 0 && pagingView(page, pages, (to) => linkToForm(base, form, { page: to }))}`;
}

function notices(found: Found, form: QuestionForm, base: string): Html {
  const { lacking, corrected = [], translated = [], truncated, total } = found;
  const parts = [
    lacking === 'model' &&
      html`<p class="notice">This catalogue cannot be searched by meaning here, so these are found by words.</p>`,
    lacking === 'busy' &&
      html`<p class="notice">Too many people ask by meaning just now, so these are found by words. <a href="${linkToForm(base, form, { page: form.page })}">Try again</a></p>`,
    total > 0 && corrected.length > 0 && correctionView(corrected, form, base),
    translated.length > 0 && total > 0 && translationView(translated),
    truncated === true &&
      html`<p class="notice">The question has very frequent words, so that not all skills were looked at.</p>`,
  ];
  return html`${parts}`;
}

/** How the question was read, and a link that asks it as it is. */
function correctionView(corrected: readonly CorrectedWord[], form: QuestionForm, base: string): Html {
  const { q = '' } = form;
  const right = corrected.reduce((text, { asked, read: [read] }) => replaced(text, asked, read!), q);
  const asIs = html`<a href="${linkToForm(base, form, { corrections: 'false' })}"><bdi>${q}</bdi></a>`;
  return html`<p class="notice corrected">Showing results for <b><bdi>${right}</bdi></b>. Search for ${asIs} instead.</p>`;
}

function translationView(translated: NonNullable<Found['translated']>): Html {
  const words = translated.map(({ asked, read }, i) => html`${i > 0 && ', '}${read} (<bdi>${asked}</bdi>)`);
  return html`<p class="notice translated">Also searched for ${words}.</p>`;
}

/** The question with a word read as another. */
function replaced(q: string, asked: string, word: string): string {
  const at = q.toLowerCase().indexOf(asked.toLowerCase());
  return at === -1 ? word : q.slice(0, at) + word + q.slice(at + asked.length);
}

function nothingFits({ by }: Found, form: QuestionForm, base: string): Html {
  const fewer = Object.fromEntries(FILTER_FIELDS.map((field) => [field, undefined]));
  const advice = [
    hasFilters(form) && html`<li><a href="${linkToForm(base, form, fewer)}">Ask without the filters</a></li>`,
    by === 'words' &&
      form.mode === 'words' &&
      html`<li><a href="${linkToForm(base, form, { mode: 'both' })}">Ask by meaning, too</a></li>`,
    form.q !== undefined && html`<li>Ask with fewer words, or with others.</li>`,
  ];
  return html`<div class="empty"><ul>${advice}</ul></div>`;
}

/** Of those that are not their own with a capital. */
const FILTER_NAMES: Readonly<Partial<Record<FormField, string>>> = {
  minStars: 'Stars',
  updatedAfter: 'Updated',
  updatedBefore: 'Updated before',
  scope: 'Installed for',
  invocable: 'Called by',
};

/** The filters that are set; each is a link that takes it away. */
function filterChips(form: QuestionForm, base: string): Html | undefined {
  const set = FILTER_FIELDS.filter((field) => form[field] !== undefined);
  if (set.length === 0) return undefined;
  return html`<ul class="chips filters-set" aria-label="Filters">${set.map((field) => {
    const value = form[field]!;
    const shown = html`${FILTER_NAMES[field] ?? wordsOf(field)}: <bdi>${shownLine(shownValue(field, value))}</bdi>`;
    const cross = html`<span aria-hidden="true">✕</span><span class="hidden-text">(take away)</span>`;
    return html`<li><a class="chip" href="${linkToForm(base, form, { [field]: undefined })}">${shown} ${cross}</a></li>`;
  })}</ul>
`;
}

/** Values of a facet that are shown at once; more are one click away. */
const SHOWN = 8;
const SHOWN_MORE = 20;

const FACET_NAMES: Readonly<Record<CountedField, string>> = {
  updatedAfter: 'Updated',
  minStars: 'Stars',
  category: 'Categories',
  occupation: 'Occupations',
  author: 'Authors',
  license: 'Licenses',
  agent: 'Agents',
  scope: 'Installed for',
};

/**
 * What the skills of the answer are: each value is a link that sets it as a filter, or takes it away. A number beside
 * it is what a click on it finds; where meaning chooses the best skills, how many of these have it.
 */
export function facetsView({ facets, good, total }: Found, form: QuestionForm, base: string): Html {
  const says = good === undefined ? 'what a click finds' : `how many of the best ${shownNumber(total)} have it`;
  return html`${total > 0 && html`<p class="muted small">Numbers: ${says}</p>`}${(
    Object.keys(FACET_NAMES) as CountedField[]
  ).map((facet) => {
    const all = (facets[facet] ?? []).filter(({ count }) => count > 0);
    const chosen = form[facet];
    const isChosen = ({ value }: FacetCount): boolean => value.toLowerCase() === chosen?.toLowerCase();
    const known = all.find(isChosen);
    const isScale = facet === 'minStars' || facet === 'updatedAfter';
    const first = chosen === undefined || (isScale && known) ? [] : [known ?? { value: chosen, count: 0 }];
    const values = [...first, ...all.filter((one) => !first.includes(one))];
    if (values.length === 0) return undefined;
    const item = (one: FacetCount): Html => {
      const taken = isChosen(one);
      const name = html`<bdi>${shownLine(shownValue(facet, one.value)) || one.value}</bdi>${taken && html`<span class="hidden-text"> (chosen; take away)</span>`}`;
      const amount = one.count > 0 && html` <span class="count">${shownNumber(one.count)}</span>`;
      const link = linkToForm(base, form, { [facet]: taken ? undefined : one.value });
      return html`<li><a${taken && html` class="chosen" aria-current="true"`} href="${link}">${name}${amount}</a></li>`;
    };
    const atOnce = facet === 'category' ? Math.max(first.length, largeOnes(values, SHOWN)) : SHOWN;
    const more = values.slice(atOnce, SHOWN_MORE);
    return html`<section class="facet"><h3>${FACET_NAMES[facet]}</h3>
<ul>${values.slice(0, atOnce).map(item)}</ul>
${more.length > 0 && html`<details><summary>More</summary><ul>${more.map(item)}</ul></details>`}</section>
`;
  })}`;
}

/** Categories of fewer skills are folded up, unless all are so small. */
const LEAST_LARGE = 5;

/** How many of these, the largest first, are shown at once. */
function largeOnes(counts: readonly { readonly count: number }[], most: number): number {
  return Math.min(most, counts.filter(({ count }) => count >= LEAST_LARGE).length || most);
}

/** A value of a filter as people read it. */
function shownValue(field: FormField, value: string): string {
  if (field === 'updatedAfter' || field === 'minStars')
    return steps().find((step) => step[0] === field && step[1] === value)?.[2] ?? `from ${value}`;
  if (field === 'invocable') return value === 'true' ? 'models' : value === 'false' ? 'users only' : value;
  if (field === 'category') return categoryName(value);
  if (field === 'scope') return SCOPE_NAMES.get(value) ?? value;
  return field === 'occupation' ? occupationName(value) : value;
}

const SCOPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['project', 'A project'],
  ['user', 'A user'],
  ['plugin', 'A plugin'],
  ['system', 'All users'],
] satisfies [SkillScope, string][]);

const SHOWN_DESCRIPTION = 220;
/** Categories and terms of a hit that are shown: a hostile skill may have a hundred of each. */
const SHOWN_LABELS = 2;
const SHOWN_TERMS = 8;
const SHOWN_FEATURES = 5;
/** Smaller parts of a score explain nothing. */
const LEAST_SHARE = 0.03;
/** Pixels of a bar that is full, as the style sheet has it. */
const BAR = 80;

const FEATURE_NAMES: Readonly<Record<RankingFeature, string>> = {
  cosine: 'meaning',
  sentence: 'meaning of a sentence',
  feedback: 'nearness to the best',
  words: 'words',
  name: 'words in the name',
  author: 'words in the author',
  labels: 'words in the labels',
  description: 'words in the description',
  files: 'words in the files',
  coverage: 'share of the words',
  fileText: 'length of its text',
  stars: 'stars',
};

/**
 * One skill of an answer or a list.
 *
 * @param base the path of the public URL
 * @param form what was asked: the link to the skill carries it, so that its page can lead back
 */
function hitView(hit: FoundHit, base: string, form: QuestionForm, good?: Found['good']): Html {
  const { skill, snippet, matches, explain } = hit;
  const name = shownLine(skill.name) || skill.id;
  const why = reasons(hit);
  const strength = explain?.name === 'exact' ? 'Exact' : good?.has(skill.id) === true ? 'Good' : 'Weak';
  const asks = good === undefined ? 'Why this' : html`${strength}<span class="hidden-text"> match. Why this</span>`;
  return html`<li class="hit"><article>
<h3${languageAttributes(name)}><a href="${linkToSkill(base, skill.id)}${linkTo('', '', form)}">${marked(name, placesOf(name, matches?.name ?? []))}</a></h3>
<div class="facts">${factsOf(hit, base, form)}${categoryChips(skill, base, SHOWN_LABELS)}</div>
${excerpt(skill.description, snippet)}
${why !== undefined && html`<details class="why"><summary>${asks}</summary>${why}</details>`}</article></li>
`;
}

function factsOf({ skill, copies }: FoundHit, base: string, { q }: QuestionForm): Html {
  const { stars, updatedAt, description } = skill;
  const updated = shownDate(updatedAt);
  const language = otherLanguage(description, q);
  return html`${sourceOf(skill, base, q)} ${[
    language !== undefined && html`<span>${language}</span> `,
    stars > 0 && html`${starsView(stars)} `,
    updated !== undefined && html`<span>${updated}</span> `,
    copies > 1 && html`<span>${counted(copies - 1, 'more copy', 'more copies')}</span>`,
  ]}`;
}

/** `owner/repository`, or an address; empty if it is unknown. */
export function repositoryName(codehostUrl: string): string {
  const { cloneUrl = '', github } = repositoryOf(codehostUrl) ?? {};
  return shownLine(github ?? cloneUrl.replace(/^https?:\/\/|\.git$/g, ''));
}

/**
 * By whom a skill is, and where: `owner/repository · folder`. Skills of one name are told apart by it. An owner whose
 * name is a word of the question, or two of them, may have made the product that is asked for.
 */
function sourceOf({ author, codehostUrl }: Skill, base: string, q = ''): Html {
  const { github = '', folder } = repositoryOf(codehostUrl) ?? {};
  const [owner = ''] = github.split('/');
  const isOwner = owner.toLowerCase() === author.toLowerCase();
  const repository = isOwner ? github.slice(owner.length) : repositoryName(codehostUrl);
  const path = folder && html` · <span class="path"><bdi>${shownLine(folder)}</bdi></span>`;
  const link = html`<a href="${linkTo(base, PAGE_PATHS.home, { author })}"><bdi>${shownLine(author) || author}</bdi></a>`;
  const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = owner.toLowerCase().replaceAll('-', '');
  const isNamed = words.some((word, i) => word === name || word + words[i + 1] === name);
  return html`<span class="place"><span>${author !== UNKNOWN && link}${!isOwner && ' '}<bdi>${repository}</bdi></span>${path}</span>${
    isNamed && html` <strong>owner named ${owner}<span class="hidden-text">, as in the question</span></strong>`
  }`;
}

/** A path: the policy of the pages forbids styles in elements. All else is in the style sheet: an answer has many. */
function bar(share: number): Html {
  const width = Math.max(1, Math.round(Math.min(1, Math.abs(share)) * BAR));
  return html`<svg><path d="M0 3h${width}"/></svg>`;
}

/** The description, or the piece that shows why it was found; one of a file below the description. */
function excerpt(description: string, snippet: Snippet | undefined): Html {
  const plain = html`<p class="text"${languageAttributes(description)}>${beginningOf(description, SHOWN_DESCRIPTION)}</p>`;
  if (snippet === undefined || snippet.highlights.length === 0) return plain;
  const found = marked(snippet.text, snippet.highlights);
  const language = languageAttributes(snippet.text);
  if (snippet.field === 'description') return html`<p class="text"${language}>${found}</p>`;
  return html`${plain}<p class="text from-file"${language}><span class="file"><bdi>${shownLine(snippet.filename ?? '')}</bdi>:</span> ${found}</p>`;
}

/** The categories of a skill, those that a classifier gave last. @param most are shown; all if it is left out */
export function categoryChips(skill: FoundHit['skill'], base: string, most?: number): Html | undefined {
  const { categories, derivedCategories = [] } = skill;
  const shown = [...categories, ...derivedCategories].slice(0, most);
  if (shown.length === 0) return undefined;
  const chips = shown.map((slug, i) => categoryChip(slug, i >= categories.length, base));
  return html`<ul class="chips"${most !== undefined && html` aria-label="Categories"`}>${chips}</ul>`;
}

/** A category as a link to its skills. One that a classifier gave looks different, and says so. */
function categoryChip(slug: string, isDerived: boolean, base: string): Html {
  const link = linkTo(base, PAGE_PATHS.home, { category: slug });
  return isDerived
    ? html`<li><a class="chip derived" href="${link}" title="Given by a classifier, not by the author">${categoryName(slug)}<span class="hidden-text"> (derived)</span></a></li>`
    : html`<li><a class="chip" href="${link}">${categoryName(slug)}</a></li>`;
}

function reasons({ score, matches, explain }: FoundHit): Html | undefined {
  if (score === undefined) return undefined;
  const fields = Object.entries(matches ?? {}) as [ScoredField, readonly string[]][];
  const isByVector = explain !== undefined && explain.features === undefined;
  const { cosine = 0, features = [] } = explain ?? {};
  const parts = [
    isByVector ? shareView('likelihood', explain.probability) : shareView('score', score),
    isByVector && html`<dt>meaning</dt><dd>${bar(cosine)} cosine ${cosine.toFixed(2)}</dd>`,
    features
      .filter(({ share }) => Math.abs(share) >= LEAST_SHARE)
      .slice(0, SHOWN_FEATURES)
      .map(({ feature, share }) => shareView(FEATURE_NAMES[feature], share)),
    fields.map(([field, words]) => {
      const shown = words.slice(0, SHOWN_TERMS).join(' ');
      return words.length > 0 && html`<dt>${field}</dt><dd>${shown}${words.length > SHOWN_TERMS && ' …'}</dd>`;
    }),
  ];
  return html`<dl>${parts}</dl>`;
}

function shareView(name: string, share: number): Html {
  const percent = `${share < 0 ? '−' : ''}${Math.round(Math.abs(share) * 100)} %`;
  return html`<dt>${name}</dt><dd>${bar(share)} ${percent}</dd>`;
}

/** As `data/categories.json` has it. */
interface NamedCategory {
  readonly slug: string;
  readonly name: string;
  /** Of a group. */
  readonly categories?: readonly NamedCategory[];
}

let names: ReadonlyMap<string, string> | undefined;

/** The name of a category as people read it. One that the taxonomy does not know is read from its slug. */
function categoryName(slug: string): string {
  if (names === undefined) {
    const groups = JSON.parse(readFileSync(dataFile('categories.json'), 'utf8')) as readonly NamedCategory[];
    const all = groups.flatMap((group) => [group, ...(group.categories ?? [])]);
    names = new Map(all.map(({ slug, name }) => [slug, name]));
  }
  return names.get(slug) ?? wordsOf(slug);
}

/** `Software developers` for `software-developers-151252`. */
export function occupationName(slug: string): string {
  return wordsOf(slug.replace(/-\d{6}$/, ''));
}

/** Words of slugs that have capitals of their own. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  `AI API APIs AWS CI CLI DevOps ERP ETL GIS GitHub GitLab GraphQL IDE iOS IoT JavaScript K8s LLMs macOS MySQL NoSQL OAuth
OCR OSINT PDFs QA RAG SaaS SEO SRE TypeScript UI UX WordPress`
    .split(/\s/)
    .map((word) => [word.toLowerCase(), word]),
);

/** A slug as people write it: `CI/CD pipelines` for `ci-cd-pipelines`. A word without a vowel is an acronym. */
function wordsOf(slug: string): string {
  const words = slug
    .split('-')
    .filter(Boolean)
    .map((word) => {
      return WRITTEN.get(word) ?? (/^[b-df-hj-np-tv-xz\d]{2,}$/.test(word) ? word.toUpperCase() : word);
    });
  const joined = words.join(' ').replace(/\b(?:AI ML|CI CD|UI UX)\b/g, (pair) => pair.replace(' ', '/'));
  return /^[a-z]+[A-Z]/.test(joined) ? joined : joined.charAt(0).toUpperCase() + joined.slice(1) || slug;
}

/** Categories that are shown at once, and with the folded ones. */
const SHOWN_CATEGORIES = 16;
const MOST_CATEGORIES = 100;
const SHOWN_NEWEST = 5;

const EXAMPLES = [
  'write release notes from the git log',
  'review a pull request',
  'turn a spreadsheet into a chart',
  '会議の議事録をまとめる',
  'pdf forms',
];

/** What stands below the box before anything is asked. */
export function welcomeView({ search, base }: PageRequest): Html {
  const { skills, newest } = search.stats();
  const categories = search.categories().slice(0, MOST_CATEGORIES);
  const chipsOf = (some: typeof categories): Html =>
    html`<ul class="chips big">${some.map(({ slug, count }) => {
      const amount = html`<span class="count">${shownNumber(count)}</span>`;
      return html`<li><a class="chip" href="${linkTo(base, PAGE_PATHS.home, { category: slug })}">${categoryName(slug)} ${amount}</a></li>`;
    })}</ul>`;
  const atOnce = largeOnes(categories, SHOWN_CATEGORIES);
  const more = categories.slice(atOnce);
  const { hits } = search.list({ sortBy: 'recent', limit: SHOWN_NEWEST, copies: 'collapse' });
  const updated = shownDate(newest);
  const age = updated !== undefined && html`, the newest of ${updated}`;
  const examples = EXAMPLES.map(
    (example, i) => html`${i > 0 && ', '}<a href="${linkTo(base, PAGE_PATHS.home, { q: example })}">${example}</a>`,
  );
  const newestFirst = linkTo(base, PAGE_PATHS.home, { sortBy: 'recent' });
  const mostStars = linkTo(base, PAGE_PATHS.home, { sortBy: 'stars' });
  return html`<h1>Find a skill for an agent</h1>
<p class="muted">${counted(skills, 'skill')}${age}. Try ${examples}.</p>
${
  categories.length > 0 &&
  html`<h2>Categories</h2>
${chipsOf(categories.slice(0, atOnce))}
${more.length > 0 && html`<details class="smaller"><summary>${counted(more.length, 'more category', 'more categories')}</summary>${chipsOf(more)}</details>`}
`
}${
  hits.length > 0 &&
  html`<h2>Newest</h2>
<ol class="hits">
${hits.map((hit) => hitView(hit, base, {}))}</ol>
<p><a href="${newestFirst}">All, newest first</a> · <a href="${mostStars}">All, most stars first</a></p>`
}`;
}
