import {
  hasCode,
  isBusy,
  isWithoutMeaning,
  MAX_LIMIT,
  MAX_PAGE,
  MAX_SEMANTIC_LIMIT,
  repositoryOf,
} from '../../core/index.js';
import {
  type CorrectedWord,
  FACETS,
  type Facet,
  type FacetCount,
  type KeywordHit,
  type KeywordStep,
  type ListHit,
  type SemanticHit,
  type SemanticResult,
  type Skill,
  type SkillDetails,
  type SkillFilters,
  type SkillSearch,
  type TranslatedWords,
} from '../../index.js';
import { UNKNOWN } from '../../skill.js';
import type { PageRequest } from './page.js';
import { type PageMode, type PageQuestion, steps } from './question-form.js';

/** Skills on a page. */
export const PAGE_SIZE = 20;

/** A skill that the page shows: of a search by words or by meaning, or of a list. */
export type FoundHit = ListHit & Partial<Omit<KeywordHit & SemanticHit, keyof ListHit>>;

/** What filters of the page can be set to, and for how many skills; see `steps` for dates and stars. */
export type CountedField = Facet | 'updatedAfter' | 'minStars';
type Counts = Readonly<Partial<Record<CountedField, readonly FacetCount[]>>>;

/** An answer as the page shows it. */
export interface Found {
  /** What decided which skills these are. */
  readonly by: PageMode | 'list';
  readonly hits: readonly FoundHit[];
  /** Of all pages. */
  readonly total: number;
  readonly page: number;
  /** Pages that can be asked for; fewer than there are if there are very many. */
  readonly pages: number;
  /** Absent unless words decided. */
  readonly step?: KeywordStep | undefined;
  /** Ids of the hits that fit well, of all pages: none if nothing is near to the question. Absent unless meaning decided. */
  readonly good?: ReadonlySet<string>;
  readonly truncated?: true | undefined;
  readonly corrected?: readonly CorrectedWord[] | undefined;
  readonly translated?: readonly TranslatedWords[] | undefined;
  readonly facets: Counts;
  /** Why words decided though meaning was asked for. */
  readonly lacking?: 'model' | 'busy';
}

/**
 * Finds what the question asks.
 *
 * @throws {SkillSearchError} for a faulty question, and if the catalogue cannot answer
 */
export async function findSkills(question: PageQuestion, request: PageRequest): Promise<Found> {
  const found = await find(question, request);
  // Explaining a hit reads the text of its files, which may take some milliseconds. What is read is kept for the view.
  for (const [i, { snippet: _, matches: __ }] of found.hits.entries()) if (i % 2 === 1) await request.turn();
  return found;
}

async function find(question: PageQuestion, request: PageRequest): Promise<Found> {
  if (question.q === '') return listAll(question, request);
  if (question.mode === 'words') return findByWords(question, request);
  try {
    return await findByMeaning(question, request);
  } catch (error) {
    const lacking = isBusy(error) ? 'busy' : 'model';
    if (lacking === 'model' && !isWithoutMeaning(error)) throw error;
    // The page says only that meaning is not available. A catalogue without vectors was meant to be one.
    if (lacking === 'model' && !hasCode(error, 'NO_VECTORS')) request.logFailure(error);
    return { ...(await findByWords(question, request)), lacking };
  }
}

async function listAll({ sortBy, page, filters }: PageQuestion, request: PageRequest): Promise<Found> {
  const order = sortBy === 'stars' ? 'stars' : 'recent';
  const { hits, pagination, facets, damaged } = await askWithFacets(filters, page, PAGE_SIZE, request, (asked) => {
    return request.search.list({ ...asked, sortBy: order, copies: 'collapse' });
  });
  request.logDamaged(damaged);
  if (order === 'stars' && Object.values(filters).every((value) => value === undefined)) {
    return { by: 'list', ...partOf(await firstOfRepositories(request), page), facets };
  }
  return { by: 'list', hits, total: pagination.total, page, pages: pagination.totalPages, facets };
}

/** Some of all hits, which are put on pages here. */
function partOf<Hit>(hits: readonly Hit[], page: number) {
  const shown = hits.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { hits: shown, total: hits.length, page, pages: Math.ceil(hits.length / PAGE_SIZE) };
}

/** Repositories that are listed by their stars. */
const MOST_REPOSITORIES = 200;

const firsts = new WeakMap<SkillSearch, { readonly stamp: string; readonly hits: readonly ListHit[] }>();

/** The first skill of each repository, by stars: these are the repository's, and it may have hundreds of skills. */
async function firstOfRepositories({ search, turn }: PageRequest): Promise<readonly ListHit[]> {
  const { stamp } = search.stats();
  const known = firsts.get(search);
  if (known?.stamp === stamp) return known.hits;
  const found = new Map<string, ListHit>();
  for (let page = 1, pages = 1; page <= pages && found.size < MOST_REPOSITORIES; page++) {
    await turn();
    const { hits, pagination } = search.list({ sortBy: 'stars', copies: 'collapse', page, limit: MAX_LIMIT });
    for (const hit of hits) {
      const repository = repositoryOf(hit.skill.codehostUrl)?.cloneUrl.toLowerCase() ?? hit.skill.id;
      if (!found.has(repository)) found.set(repository, hit);
    }
    pages = pagination.totalPages;
  }
  const hits = [...found.values()].slice(0, MOST_REPOSITORIES);
  firsts.set(search, { stamp, hits });
  return hits;
}

async function findByWords(question: PageQuestion, request: PageRequest): Promise<Found> {
  const { q, sortBy, page, reading, filters } = question;
  const { hits, pagination, damaged, ...rest } = await askWithFacets(filters, page, PAGE_SIZE, request, (asked) => {
    return request.search.keyword({ ...asked, q, ...reading, sortBy, copies: 'collapse' });
  });
  request.logDamaged(damaged);
  const pages = Math.min(pagination.totalPages, MAX_PAGE);
  return { ...rest, by: 'words', hits, total: pagination.total, page, pages };
}

async function findByMeaning(question: PageQuestion, request: PageRequest): Promise<Found> {
  const { q, mode, sortBy, page, reading, filters } = question;
  const { search, signal, longestWait, logDamaged } = request;
  const ranking = mode === 'meaning' ? 'vector' : 'hybrid';
  const ask = async (filters: SkillFilters) => {
    const query = { ...filters, q, ...reading, ranking, limit: MAX_SEMANTIC_LIMIT, explain: true } as const;
    const found = await search.semantic(query, { signal, longestWait, usage: false });
    return { found, hits: sortBy === 'relevance' ? found.hits : inOrder(found, sortBy) };
  };
  const { found, hits } = await ask(filters);
  logDamaged(found.damaged);
  const facets = countHits(hits, request);
  // The others of a filter that is set are counted without it, so that people can switch.
  for (const field of (Object.keys(facets) as CountedField[]).filter((name) => filters[name] !== undefined))
    facets[field] = countHits((await ask({ ...filters, [field]: undefined })).hits, request)[field];
  return {
    by: mode,
    ...partOf(hits, page),
    good: goodOnes(found),
    truncated: found.truncated,
    corrected: found.corrected,
    translated: found.translated,
    facets,
  };
}

/** A hit that is as probable as this fits well. */
const EVEN = 0.5;

/**
 * Confidence ends behind the hits that are worth showing, the last one that is more probably useful than not, and the
 * last one whose name is the question.
 */
function goodOnes({ hits, worth }: SemanticResult): ReadonlySet<string> {
  const probable = worth > 0 ? hits.findLastIndex(({ explain }) => explain!.probability >= EVEN) : -1;
  const named = hits.findLastIndex(({ explain }) => explain!.name === 'exact');
  return new Set(hits.slice(0, Math.max(worth, probable + 1, named + 1)).map(({ skill }) => skill.id));
}

/** A hit fits if its score is at least this part of the best one's. */
const FITTING = { hybrid: 0.5, vector: 0.85, words: 0.5 } as const;

/** A hundred hits in order of date would begin with any of them: only those that fit are put in order. */
function inOrder({ hits, ranking }: SemanticResult, sortBy: 'recent' | 'stars'): SemanticHit[] {
  const least = (hits[0]?.score ?? 0) * FITTING[ranking];
  return hits
    .filter(({ score }) => score >= least)
    .sort(({ skill: one }, { skill: other }) => {
      const byStars = sortBy === 'stars' ? other.stars - one.stars : 0;
      return byStars || other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1);
    });
}

/** Counts the hits themselves: meaning finds a hundred that fit more or less, whatever the filters. */
function countHits(hits: readonly SemanticHit[], { search }: PageRequest): Record<CountedField, readonly FacetCount[]> {
  const skills = hits.map(({ skill }): Skill & Partial<SkillDetails> => search.get(skill.id) ?? skill);
  const of = (valuesOf: (skill: SkillDetails) => readonly string[]): FacetCount[] => {
    const counts = new Map<string, number>();
    for (const skill of skills)
      for (const value of new Set(valuesOf(skill))) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  };
  const stepped = (field: CountedField, amountOf: (skill: Skill) => number): FacetCount[] =>
    steps()
      .filter((step) => step[0] === field)
      .map(([, value, , least]) => ({ value, count: skills.filter((skill) => amountOf(skill) >= least).length }));
  return {
    updatedAfter: stepped('updatedAfter', ({ updatedAt }) => updatedAt),
    minStars: stepped('minStars', ({ stars }) => stars),
    category: of(({ categories, derivedCategories = [] }) => [...categories, ...derivedCategories]),
    occupation: of(({ occupations }) => occupations),
    author: of(({ author }) => (author === UNKNOWN ? [] : [author])),
    license: of(({ license = [] }) => [license].flat()),
    agent: of(({ installations = [] }) => installations.map(({ agent }) => agent)),
    scope: of(({ installations = [] }) => installations.map(({ scope }) => scope)),
  };
}

/** What is asked of a search or a list; `page` and `limit` say which of the skills are shown. */
interface Asked extends SkillFilters {
  readonly page: number;
  readonly limit: number;
  readonly facets: readonly Facet[];
}

/**
 * An answer with the counts of all facets. Those of facets with a filter are without that filter, so that people can
 * switch from one value to another. Each of these, and each step of a date or of stars, asks the whole question again,
 * in a turn of its own.
 */
async function askWithFacets<
  Result extends { readonly facets?: Counts; readonly pagination: { readonly total: number } },
>(
  filters: SkillFilters,
  page: number,
  limit: number,
  { turn }: PageRequest,
  ask: (asked: Asked) => Result,
): Promise<Result & { readonly facets: Counts }> {
  const isSet = (facet: Facet): boolean => filters[facet] !== undefined;
  const found = ask({ ...filters, page, limit, facets: FACETS.filter((facet) => !isSet(facet)) });
  const facets: Partial<Record<CountedField, readonly FacetCount[]>> = { ...found.facets };
  for (const facet of FACETS.filter(isSet)) {
    await turn();
    const counts = ask({ ...filters, [facet]: undefined, page: 1, limit: 1, facets: [facet] }).facets?.[facet];
    if (counts !== undefined) facets[facet] = counts;
  }
  for (const [field, value, , least] of steps()) {
    await turn();
    const { total } = ask({ ...filters, [field]: least, page: 1, limit: 1, facets: [] }).pagination;
    facets[field] = [...(facets[field] ?? []), { value, count: total }];
  }
  return { ...found, facets };
}
