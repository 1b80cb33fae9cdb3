import {
  type Argument,
  checkChoice,
  checkInteger,
  checkNames,
  checkNumber,
  invalidArgument,
  type Names,
  namesOf,
} from './check-arguments.js';
import { countCodePoints } from './count-code-points.js';
import { SkillSearchError } from './errors.js';
import {
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_NAME,
  MAX_PAGE,
  MAX_SEMANTIC_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
} from './limits.js';
import { type Facet, RANKINGS, type Ranking } from './result.js';

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

/** A time: Unix seconds, or a date or time as ISO 8601 has it (`2026-01-31`, `2026-01-31T12:00:00Z`). */
export type Time = number | string;

/**
 * What a skill must be to be found. A slug, an author or a licence that no skill has is not an error: it finds nothing.
 */
export interface SkillFilters {
  /** A category slug, `[a-z0-9-]+`. */
  readonly category?: string | undefined;
  /**
   * An occupation slug with its SOC code (`software-developers-151252`) or without (`software-developers`), or a SOC
   * major group (`15-0000`).
   */
  readonly occupation?: string | undefined;
  /** The whole user name of an author, in upper or lower case: 1 to 200 characters. */
  readonly author?: string | undefined;
  /** The licence as the skill states it (`MIT`, `Apache-2.0`), in upper or lower case: 1 to 200 characters. */
  readonly license?: string | undefined;
  /** Fewest stars: an integer of at least 0. */
  readonly minStars?: number | undefined;
  /** Only skills that were updated at this time or later. Skills of unknown time are not found. */
  readonly updatedAfter?: Time | undefined;
  /** Only skills that were updated before this time. Skills of unknown time are not found. */
  readonly updatedBefore?: Time | undefined;
}

/** Filters that were checked. Times are Unix seconds. */
export interface ResolvedFilters {
  readonly category: string | undefined;
  readonly occupation: string | undefined;
  readonly author: string | undefined;
  readonly license: string | undefined;
  readonly minStars: number | undefined;
  readonly updatedAfter: number | undefined;
  readonly updatedBefore: number | undefined;
}

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

/** What `SkillSearch.keyword` is asked. */
export interface KeywordQuery extends SkillFilters {
  /**
   * The words to find: at most 200 characters (code points after trimming), with at least one letter or digit. Words in
   * `"double quotes"` must stand next to each other.
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

/** A keyword query that was checked, with all defaults filled in. */
export interface ResolvedKeywordQuery {
  readonly q: string;
  readonly page: number;
  readonly limit: number;
  readonly sortBy: SortOrder;
  readonly category: string | undefined;
  readonly occupation: string | undefined;
  readonly author: string | undefined;
  readonly copies: CopyMode;
}

/** What `SkillSearch.semantic` is asked. */
export interface SemanticQuery extends SkillFilters {
  /**
   * The question in plain language: at most 2,000 characters (code points after trimming), with at least one letter or
   * digit. Text beyond what the model can read still counts by its words.
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
export interface ResolvedSemanticQuery {
  readonly q: string;
  readonly limit: number;
  readonly minScore: number;
  readonly ranking: Ranking;
  readonly category: string | undefined;
  readonly occupation: string | undefined;
  readonly author: string | undefined;
  readonly copies: CopyMode;
  readonly explain: boolean;
}

const SEMANTIC_NAMES = namesOf<SemanticQuery>({
  q: true,
  limit: true,
  minScore: true,
  ranking: true,
  category: true,
  occupation: true,
  author: true,
  license: true,
  minStars: true,
  updatedAfter: true,
  updatedBefore: true,
  copies: true,
  explain: true,
});

/**
 * Checks a semantic query and fills in the defaults. Reports an unknown parameter first, then the first fault in the
 * order q, limit, minScore, ranking, category, occupation, author, copies, explain.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; its `parameter` names the fault
 * @example
 * resolveSemanticQuery({ q: ' draw a chart ' }).limit; // 10
 */
export function resolveSemanticQuery(query: SemanticQuery): ResolvedSemanticQuery {
  checkQuery(query, SEMANTIC_NAMES);
  const q = resolveText(query.q, MAX_SEMANTIC_QUERY_LENGTH);
  const limit = checkInteger(parameter('limit'), query.limit, 1, MAX_SEMANTIC_LIMIT) ?? DEFAULT_SEMANTIC_LIMIT;
  const minScore = checkNumber(parameter('minScore'), query.minScore, 0, 1) ?? 0;
  const ranking = checkChoice(parameter('ranking'), query.ranking, RANKINGS) ?? 'hybrid';
  const category = resolveSlug('category', query.category);
  const occupation = resolveSlug('occupation', query.occupation);
  const author = resolveAuthor(query.author);
  const copies = checkChoice(parameter('copies'), query.copies, COPY_MODES) ?? 'collapse';
  const explain = checkChoice(parameter('explain'), query.explain, [true, false]) ?? false;
  return { q, limit, minScore, ranking, category, occupation, author, copies, explain };
}

const KEYWORD_NAMES = namesOf<KeywordQuery>({
  q: true,
  page: true,
  limit: true,
  sortBy: true,
  category: true,
  occupation: true,
  author: true,
  license: true,
  minStars: true,
  updatedAfter: true,
  updatedBefore: true,
  copies: true,
  facets: true,
});

/**
 * Checks a keyword query and fills in the defaults. Reports an unknown parameter first, then the first fault in the
 * order q, page, limit, sortBy, category, occupation, author, copies.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`; its `parameter` names the fault
 * @example
 * resolveKeywordQuery({ q: 'react', sortBy: 'stars' }).copies; // 'keep'
 */
export function resolveKeywordQuery(query: KeywordQuery): ResolvedKeywordQuery {
  checkQuery(query, KEYWORD_NAMES);
  const q = resolveText(query.q, MAX_KEYWORD_QUERY_LENGTH);
  const page = checkInteger(parameter('page'), query.page, 1, MAX_PAGE) ?? 1;
  const limit = checkInteger(parameter('limit'), query.limit, 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const sortBy = checkChoice(parameter('sortBy'), query.sortBy, SORT_ORDERS) ?? 'relevance';
  const category = resolveSlug('category', query.category);
  const occupation = resolveSlug('occupation', query.occupation);
  const author = resolveAuthor(query.author);
  const byDefault = sortBy === 'relevance' ? 'collapse' : 'keep';
  const copies = checkChoice(parameter('copies'), query.copies, COPY_MODES) ?? byDefault;
  return { q, page, limit, sortBy, category, occupation, author, copies };
}

function parameter(name: string): Argument {
  return { name, code: 'INVALID_PARAMETER' };
}

const Q: Argument = { name: 'q', code: 'INVALID_QUERY' };
const QUERY: Argument = { name: 'query', code: 'INVALID_PARAMETER' };

function checkQuery(query: unknown, names: Names): void {
  if (query === undefined || query === null) throw missingQuery();
  checkNames(query, names, QUERY);
}

function missingQuery(): SkillSearchError {
  return new SkillSearchError('MISSING_QUERY', 'q is required', { parameter: 'q' });
}

function resolveText(q: unknown, maxLength: number): string {
  if (q === undefined || q === null) throw missingQuery();
  if (typeof q !== 'string') throw invalidArgument(Q, 'a string', q);
  const trimmed = trimWhiteSpace(q);
  if (trimmed === '') throw new SkillSearchError('MISSING_QUERY', 'q is empty', { parameter: 'q' });
  const length = countCodePoints(trimmed);
  if (length > maxLength) {
    const message = `q must have at most ${maxLength} characters, got ${length}`;
    throw new SkillSearchError('INVALID_QUERY', message, { parameter: 'q' });
  }
  if (!/[\p{L}\p{N}]/u.test(trimmed)) {
    throw new SkillSearchError('INVALID_QUERY', 'q must contain a letter or a digit', { parameter: 'q' });
  }
  return trimmed;
}

/** Without a pattern for trailing white space: that takes quadratic time if there is much white space inside. */
function trimWhiteSpace(text: string): string {
  const isSpace = (i: number): boolean => /\p{White_Space}/u.test(text[i]!);
  let start = 0;
  while (start < text.length && isSpace(start)) start++;
  let end = text.length;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

function resolveSlug(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[a-z0-9-]+$/.test(value)) return value;
  throw invalidArgument(parameter(name), 'a slug of the characters a-z, 0-9 and -', value);
}

function resolveAuthor(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A code point has at most two units. Texts of megabytes are not counted.
  const isShort = typeof value === 'string' && value.length <= 2 * MAX_NAME && countCodePoints(value) <= MAX_NAME;
  if (isShort && trimWhiteSpace(value) !== '') return value;
  throw invalidArgument(parameter('author'), `a user name of 1 to ${MAX_NAME} characters`, value);
}
