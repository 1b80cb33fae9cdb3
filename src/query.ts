import { SkillSearchError } from './errors.js';

/** How a keyword search may be sorted; the first is the library's default. */
export const SORT_ORDERS = ['relevance', 'recent', 'stars'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** What happens to copies: skills of the same name and description. */
export const COPY_MODES = ['collapse', 'keep'] as const;
export type CopyMode = (typeof COPY_MODES)[number];

/** What decides in a semantic search: meaning and words together, meaning alone, or words alone. The first is the default. */
export const RANKINGS = ['hybrid', 'vector', 'words'] as const;
export type Ranking = (typeof RANKINGS)[number];

export const MAX_KEYWORD_QUERY_LENGTH = 200;
export const MAX_SEMANTIC_QUERY_LENGTH = 2000;
export const MAX_SEMANTIC_LIMIT = 100;
export const DEFAULT_SEMANTIC_LIMIT = 10;
export const MAX_PAGE = 50;
export const MAX_LIMIT = 50;
export const DEFAULT_LIMIT = 20;

/** Which labels a skill must have, in both searches. */
export interface LabelFilters {
  /** A category slug. */
  readonly category?: string | undefined;
  /** An occupation slug, with or without its SOC code, or a SOC major group such as `15-0000`. */
  readonly occupation?: string | undefined;
}

/** A keyword question as the caller asks it. */
export interface KeywordQuery extends LabelFilters {
  /** The words, at most 200 characters (code points, after trimming). `"quoted words"` must stand together. */
  readonly q: string;
  /** 1 to 50. @default 1 */
  readonly page?: number | undefined;
  /** Skills a page, 1 to 50. @default 20 */
  readonly limit?: number | undefined;
  /** @default 'relevance' */
  readonly sortBy?: SortOrder | undefined;
  /** Whether one of a group of copies is shown or all. @default 'collapse' by relevance, else 'keep' */
  readonly copies?: CopyMode | undefined;
}

/** A keyword question that was checked, with its defaults filled in. */
export interface ResolvedKeywordQuery {
  readonly q: string;
  readonly page: number;
  readonly limit: number;
  readonly sortBy: SortOrder;
  readonly category: string | undefined;
  readonly occupation: string | undefined;
  readonly copies: CopyMode;
}

/** A question in plain language as the caller asks it. */
export interface SemanticQuery extends LabelFilters {
  /** At most 2,000 characters (code points, after trimming). What the model cannot read any more counts by words. */
  readonly q: string;
  /** Skills, 1 to 100. @default 10 */
  readonly limit?: number | undefined;
  /** Skills of a lower score are left out; 0 to 1. @default 0 */
  readonly minScore?: number | undefined;
  /** `words` needs no model: any of the words, by BM25. @default 'hybrid' */
  readonly ranking?: Ranking | undefined;
  /** Whether one of a group of copies is shown or all. @default 'collapse' */
  readonly copies?: CopyMode | undefined;
  /** Whether each hit tells the parts of its score. @default false */
  readonly explain?: boolean | undefined;
}

/** A question in plain language that was checked, with its defaults filled in. */
export interface ResolvedSemanticQuery {
  readonly q: string;
  readonly limit: number;
  readonly minScore: number;
  readonly ranking: Ranking;
  readonly category: string | undefined;
  readonly occupation: string | undefined;
  readonly copies: CopyMode;
  readonly explain: boolean;
}

/**
 * Checks a question in plain language and fills in the defaults. Of several faults the first in the order q, limit,
 * minScore, ranking, category, occupation, copies, explain is told.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function resolveSemanticQuery(query: SemanticQuery): ResolvedSemanticQuery {
  const q = resolveText(query?.q, MAX_SEMANTIC_QUERY_LENGTH);
  const limit = resolveInteger('limit', query.limit, 1, MAX_SEMANTIC_LIMIT) ?? DEFAULT_SEMANTIC_LIMIT;
  const minScore = resolveNumber('minScore', query.minScore, 0, 1) ?? 0;
  const ranking = resolveChoice('ranking', query.ranking, RANKINGS) ?? 'hybrid';
  const category = resolveSlug('category', query.category);
  const occupation = resolveSlug('occupation', query.occupation);
  const copies = resolveChoice('copies', query.copies, COPY_MODES) ?? 'collapse';
  const explain = resolveChoice('explain', query.explain, [true, false]) ?? false;
  return { q, limit, minScore, ranking, category, occupation, copies, explain };
}

/**
 * Checks a keyword question and fills in the defaults. Of several faults the first in the order q, page, limit,
 * sortBy, category, occupation, copies is told.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function resolveKeywordQuery(query: KeywordQuery): ResolvedKeywordQuery {
  const q = resolveText(query?.q, MAX_KEYWORD_QUERY_LENGTH);
  const page = resolveInteger('page', query.page, 1, MAX_PAGE) ?? 1;
  const limit = resolveInteger('limit', query.limit, 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const sortBy = resolveChoice('sortBy', query.sortBy, SORT_ORDERS) ?? 'relevance';
  const category = resolveSlug('category', query.category);
  const occupation = resolveSlug('occupation', query.occupation);
  const copies = resolveChoice('copies', query.copies, COPY_MODES) ?? (sortBy === 'relevance' ? 'collapse' : 'keep');
  return { q, page, limit, sortBy, category, occupation, copies };
}

function resolveText(q: unknown, maxLength: number): string {
  if (q === undefined || q === null) throw new SkillSearchError('MISSING_QUERY', 'q is required', { parameter: 'q' });
  if (typeof q !== 'string') {
    throw new SkillSearchError('INVALID_QUERY', `q must be a string, got ${describe(q)}`, { parameter: 'q' });
  }
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

/** By hand: a pattern for trailing white space takes quadratic time where there is much of it inside. */
function trimWhiteSpace(text: string): string {
  const isSpace = (i: number): boolean => /\p{White_Space}/u.test(text[i]!);
  let start = 0;
  while (start < text.length && isSpace(start)) start++;
  let end = text.length;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function resolveInteger(parameter: string, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidParameter(parameter, `an integer from ${min} to ${max}`, value);
}

function resolveNumber(parameter: string, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalidParameter(parameter, `a number from ${min} to ${max}`, value);
}

function resolveChoice<T extends string | boolean>(
  parameter: string,
  value: unknown,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw invalidParameter(parameter, `one of ${choices.join(', ')}`, value);
  return choice;
}

function resolveSlug(parameter: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[a-z0-9-]+$/.test(value)) return value;
  throw invalidParameter(parameter, 'a slug of the characters a-z, 0-9 and -', value);
}

function invalidParameter(parameter: string, expected: string, value: unknown): SkillSearchError {
  return new SkillSearchError('INVALID_PARAMETER', `${parameter} must be ${expected}, got ${describe(value)}`, {
    parameter,
  });
}

/** A short, safe picture of a value for an error message. */
function describe(value: unknown): string {
  if (typeof value === 'string') {
    const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    return JSON.stringify(shown);
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
