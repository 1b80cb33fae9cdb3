import {
  type Argument,
  checkAtLeast,
  checkChoice,
  checkInteger,
  checkNames,
  checkNumber,
  invalidArgument,
  MAX_LIMIT,
  MAX_PAGE,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  type Names,
  namesOf,
  parameterOf,
  requestIn,
  SkillSearchError,
} from './core/index.js';
import { FILTER_NAMES, type ResolvedFilters, resolveFilters, type SkillFilters } from './filters.js';
import { FACETS, type Facet, RANKINGS, type Ranking } from './result.js';

/**
 * The orders of a keyword search; the first is the library's default:
 *
 * - `relevance`: highest score first, then most stars
 * - `recent`: latest update first
 * - `stars`: most stars first, then the latest update
 *
 * What is still equal is ordered by id.
 */
export const SORT_ORDERS = ['relevance', 'recent', 'stars'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/**
 * What happens to copies, which are skills with the same name and description, or with nearly the same text: `collapse`
 * shows the one with the most stars, then the oldest; `keep` shows all.
 */
export const COPY_MODES = ['collapse', 'keep'] as const;
export type CopyMode = (typeof COPY_MODES)[number];

/** The `limit` of a semantic search that names none. */
export const DEFAULT_SEMANTIC_LIMIT = 10;
/** The `limit` of a keyword search that names none. */
export const DEFAULT_LIMIT = 20;

/** The orders of `SkillSearch.list`; the first is the default. */
export const LIST_ORDERS = ['recent', 'stars'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/** What `SkillSearch.list` is asked. */
export interface ListQuery extends SkillFilters {
  /** Which page of the list, an integer from 1 on. A page after the last is empty. @default 1 */
  readonly page?: number | undefined;
  /** Skills on a page, 1 to 50. @default 20 */
  readonly limit?: number | undefined;
  /** @default 'recent' */
  readonly sortBy?: ListOrder | undefined;
  /** Whether copies are shown as one. @default 'keep' */
  readonly copies?: CopyMode | undefined;
  /** What to count the skills of all pages by. @default nothing */
  readonly facets?: readonly Facet[] | undefined;
}

/** How the text of a query is read. */
interface Reading {
  /**
   * Whether the question is still being typed: a last word without a blank or a mark behind it then counts whole and as
   * a beginning. Names that begin with what is typed come first. @default false
   */
  readonly asTyped?: boolean | undefined;
  /** Whether words that occur nowhere in the catalogue may be read as near ones. @default true */
  readonly corrections?: boolean | undefined;
}

type ResolvedReading = { readonly [Name in keyof Reading]-?: boolean };

/** What `SkillSearch.keyword` is asked. */
export interface KeywordQuery extends SkillFilters, Reading {
  /**
   * The words to find, with at least one letter or digit. Words in `"double quotes"` must stand next to each other. Of
   * more than 2,000 characters (code points after trimming) what asks for something is read, up to so many.
   */
  readonly q: string;
  /** Which page of the answer, 1 to 50. A page after the last is empty. @default 1 */
  readonly page?: number | undefined;
  /** Skills on a page, 1 to 50. @default 20 */
  readonly limit?: number | undefined;
  /** @default 'relevance' */
  readonly sortBy?: SortOrder | undefined;
  /** Whether copies are shown as one. @default 'collapse' by relevance, otherwise 'keep' */
  readonly copies?: CopyMode | undefined;
  /** What to count the skills of all pages by. @default nothing */
  readonly facets?: readonly Facet[] | undefined;
}

/** Which page of what, as every query of pages that was checked has it. */
interface ResolvedPage extends ResolvedFilters {
  readonly page: number;
  readonly limit: number;
  readonly copies: CopyMode;
  /** Each once. */
  readonly facets: readonly Facet[];
}

/** A keyword query that was checked, with all defaults filled in. */
export interface ResolvedKeywordQuery extends ResolvedPage, ResolvedReading {
  readonly q: string;
  readonly sortBy: SortOrder;
}

/** What `SkillSearch.semantic` is asked. */
export interface SemanticQuery extends SkillFilters, Reading {
  /**
   * The question in plain language, with at least one letter or digit. Of more than 2,000 characters (code points after
   * trimming) what asks for something is read, wherever it stands, up to so many. Text beyond what the model can read still counts by its words.
   */
  readonly q: string;
  /** Number of skills, 1 to 100. @default 10 */
  readonly limit?: number | undefined;
  /** Skills with a lower score are left out; 0 to 1. @default 0 */
  readonly minScore?: number | undefined;
  /** @default 'hybrid' */
  readonly ranking?: Ranking | undefined;
  /** Whether copies are shown as one. @default 'collapse' */
  readonly copies?: CopyMode | undefined;
  /** Whether each hit says how its score came about. @default false */
  readonly explain?: boolean | undefined;
}

/** A semantic query that was checked, with all defaults filled in. */
export interface ResolvedSemanticQuery extends ResolvedFilters, ResolvedReading {
  readonly q: string;
  readonly limit: number;
  readonly minScore: number;
  readonly ranking: Ranking;
  readonly copies: CopyMode;
  readonly explain: boolean;
}

const READING_NAMES = { asTyped: true, corrections: true } as const;
const OWN_NAMES = { q: true, limit: true, minScore: true, ranking: true, copies: true, explain: true } as const;
const SEMANTIC_NAMES = namesOf<SemanticQuery>({ ...OWN_NAMES, ...READING_NAMES, ...FILTER_NAMES });

/**
 * Checks a semantic query and fills in the defaults. Reports an unknown parameter first, then the first fault in the
 * order q, limit, minScore, ranking, the filters in the order of {@link SkillFilters}, copies, explain,
 * asTyped, corrections.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; its `parameter` names the fault
 * @example
 * resolveSemanticQuery({ q: ' draw a chart ' }).limit; // 10
 */
export function resolveSemanticQuery(query: SemanticQuery): ResolvedSemanticQuery {
  checkQuery(query, SEMANTIC_NAMES);
  const q = resolveText(query.q);
  const limit = checkInteger(parameterOf('limit'), query.limit, 1, MAX_SEMANTIC_LIMIT) ?? DEFAULT_SEMANTIC_LIMIT;
  const minScore = checkNumber(parameterOf('minScore'), query.minScore, 0, 1) ?? 0;
  const ranking = checkChoice(parameterOf('ranking'), query.ranking, RANKINGS) ?? 'hybrid';
  const filters = resolveFilters(query);
  const copies = checkChoice(parameterOf('copies'), query.copies, COPY_MODES) ?? 'collapse';
  const explain = checkChoice(parameterOf('explain'), query.explain, [true, false]) ?? false;
  return { q, limit, minScore, ranking, ...filters, copies, explain, ...resolveReading(query) };
}

const PAGE_NAMES = { page: true, limit: true, sortBy: true, ...FILTER_NAMES, copies: true, facets: true } as const;
const KEYWORD_NAMES = namesOf<KeywordQuery>({ q: true, ...PAGE_NAMES, ...READING_NAMES });
const LIST_NAMES = namesOf<ListQuery>(PAGE_NAMES);

/**
 * Checks a keyword query and fills in the defaults. Reports an unknown parameter first, then the first fault in the
 * order q, page, limit, sortBy, the filters in the order of {@link SkillFilters}, copies, facets, asTyped, corrections.
 *
 * @param maxLimit the greatest `limit`
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; its `parameter` names the fault
 * @example
 * resolveKeywordQuery({ q: 'react', sortBy: 'stars' }).copies; // 'keep'
 */
export function resolveKeywordQuery(query: KeywordQuery, maxLimit: number = MAX_LIMIT): ResolvedKeywordQuery {
  checkQuery(query, KEYWORD_NAMES);
  const q = resolveText(query.q);
  const page = checkInteger(parameterOf('page'), query.page, 1, MAX_PAGE) ?? 1;
  const limit = checkInteger(parameterOf('limit'), query.limit, 1, maxLimit) ?? DEFAULT_LIMIT;
  const sortBy = checkChoice(parameterOf('sortBy'), query.sortBy, SORT_ORDERS) ?? 'relevance';
  const filters = resolveFilters(query);
  const byDefault = sortBy === 'relevance' ? 'collapse' : 'keep';
  const copies = checkChoice(parameterOf('copies'), query.copies, COPY_MODES) ?? byDefault;
  const facets = resolveFacets(query.facets);
  return { q, page, limit, sortBy, ...filters, copies, facets, ...resolveReading(query) };
}

/** A question that ends in a blank is done as far as it goes. */
function resolveReading({ q, asTyped, corrections }: Reading & { readonly q: string }): ResolvedReading {
  return {
    asTyped: (checkChoice(parameterOf('asTyped'), asTyped, [true, false]) ?? false) && !/\s$/.test(q),
    corrections: checkChoice(parameterOf('corrections'), corrections, [true, false]) ?? true,
  };
}

/** A query of a list that was checked, with all defaults filled in. */
export interface ResolvedListQuery extends ResolvedPage {
  readonly sortBy: ListOrder;
}

/**
 * Checks what a list is asked and fills in the defaults. Reports an unknown parameter first, then the first fault in
 * the order page, limit, sortBy, the filters in the order of {@link SkillFilters}, copies, facets.
 *
 * @throws {SkillSearchError} `INVALID_PARAMETER`; its `parameter` names the fault
 * @example
 * resolveListQuery({ category: 'testing' }).sortBy; // 'recent'
 */
export function resolveListQuery(query: ListQuery = {}): ResolvedListQuery {
  checkNames(query, LIST_NAMES, QUERY);
  // A list has as many pages as it needs.
  const page = checkAtLeast(parameterOf('page'), query.page, 1) ?? 1;
  const limit = checkInteger(parameterOf('limit'), query.limit, 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const sortBy = checkChoice(parameterOf('sortBy'), query.sortBy, LIST_ORDERS) ?? 'recent';
  const filters = resolveFilters(query);
  const copies = checkChoice(parameterOf('copies'), query.copies, COPY_MODES) ?? 'keep';
  return { page, limit, sortBy, ...filters, copies, facets: resolveFacets(query.facets) };
}

function resolveFacets(value: unknown): readonly Facet[] {
  if (value === undefined) return [];
  const isFacet = (name: unknown): name is Facet => FACETS.some((facet) => facet === name);
  if (Array.isArray(value) && value.every(isFacet)) return [...new Set(value)];
  const wrong: unknown = Array.isArray(value) ? value.find((name) => !isFacet(name)) : value;
  throw invalidArgument(parameterOf('facets'), `a list of ${FACETS.join(', ')}`, wrong);
}

const Q: Argument = { name: 'q', code: 'INVALID_QUERY' };
const QUERY = parameterOf('query');

function checkQuery(query: unknown, names: Names): void {
  if (query === undefined || query === null) throw missingQuery();
  checkNames(query, names, QUERY);
}

function missingQuery(): SkillSearchError {
  return new SkillSearchError('MISSING_QUERY', 'q is required', { parameter: 'q' });
}

function resolveText(q: unknown): string {
  if (q === undefined || q === null) throw missingQuery();
  if (typeof q !== 'string') throw invalidArgument(Q, 'a string', q);
  const read = requestIn(q, MAX_SEMANTIC_QUERY_LENGTH);
  if (read === '') throw new SkillSearchError('MISSING_QUERY', 'q is empty', { parameter: 'q' });
  if (!/[\p{L}\p{N}]/u.test(read)) {
    throw new SkillSearchError('INVALID_QUERY', 'q must contain a letter or a digit', { parameter: 'q' });
  }
  return read;
}
