import {
  type KeywordQuery,
  MAX_LIMIT,
  type ResolvedKeywordQuery,
  type ResolvedSemanticQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
  type SemanticQuery,
  SkillSearchError,
} from '../index.js';
import { readParameters } from './parameters.js';

/** The values of `sortBy` over HTTP; the first is the default. The library has also `relevance`. */
export const HTTP_SORT_ORDERS = ['recent', 'stars'] as const;

/** How the value of a parameter is written. The library checks what it means. */
export type ParameterKind =
  /** The question. */
  | 'question'
  /** Any text. */
  | 'text'
  /** `[a-z0-9-]+` */
  | 'slug'
  /** Decimal digits. */
  | 'integer'
  /** One of {@link HTTP_SORT_ORDERS}. */
  | 'order'
  /** A date or time as ISO 8601 has it, or Unix seconds in decimal digits. */
  | 'time';

/** A parameter of an operation. */
export interface QueryParameter {
  readonly name: string;
  readonly kind: ParameterKind;
}

const OWN_FILTERS = [
  { name: 'author', kind: 'text' },
  { name: 'license', kind: 'text' },
  { name: 'minStars', kind: 'integer' },
  { name: 'updatedAfter', kind: 'time' },
  { name: 'updatedBefore', kind: 'time' },
] as const satisfies readonly QueryParameter[];

/** The parameters of `searchSkills`. The first faulty one in this order is reported. */
export const KEYWORD_PARAMETERS = [
  { name: 'q', kind: 'question' },
  { name: 'page', kind: 'integer' },
  { name: 'limit', kind: 'integer' },
  { name: 'sortBy', kind: 'order' },
  { name: 'category', kind: 'slug' },
  { name: 'occupation', kind: 'slug' },
  ...OWN_FILTERS,
] as const satisfies readonly QueryParameter[];

/** The parameters of `aiSearchSkills`. The first faulty one in this order is reported. */
export const SEMANTIC_PARAMETERS = [
  { name: 'q', kind: 'question' },
  ...OWN_FILTERS,
] as const satisfies readonly QueryParameter[];

/**
 * The question of a keyword search.
 *
 * @param query the query string, without the question mark
 * @param cutLimit whether a `limit` above {@link MAX_LIMIT} becomes {@link MAX_LIMIT}
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function readKeywordQuery(query: string, cutLimit: boolean): ResolvedKeywordQuery {
  const resolve = (asked: Asked): ResolvedKeywordQuery => resolveKeywordQuery(asked as unknown as KeywordQuery);
  return readQuery(query, KEYWORD_PARAMETERS, { sortBy: HTTP_SORT_ORDERS[0], copies: 'keep' }, resolve, cutLimit);
}

/**
 * The question of a semantic search.
 *
 * @param query the query string, without the question mark
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function readSemanticQuery(query: string): ResolvedSemanticQuery {
  return readQuery(query, SEMANTIC_PARAMETERS, {}, (asked) => resolveSemanticQuery(asked as unknown as SemanticQuery));
}

/** A query whose values may be of any type. The library checks every one. */
type Asked = Record<string, unknown>;

/** @param asked what is asked unless a parameter says otherwise */
function readQuery<Resolved>(
  query: string,
  parameters: readonly QueryParameter[],
  asked: Asked,
  resolve: (asked: Asked) => Resolved,
  cutLimit = false,
): Resolved {
  const values = readParameters(
    query,
    parameters.map(({ name }) => name),
  );
  for (const { name, kind } of parameters) {
    const value = values.get(name);
    if (value === undefined) continue;
    const fault = value instanceof SkillSearchError ? value : kind === 'order' ? sortFault(value) : undefined;
    if (fault !== undefined) {
      // Report a fault of the parameters before this one first.
      if (name !== 'q') resolve(asked);
      throw fault;
    }
    const text = value as string;
    if (name === 'limit' && cutLimit) asked[name] = cutToLimit(text);
    else if (kind === 'integer') asked[name] = toInteger(text);
    else if (kind === 'time') asked[name] = toSeconds(text);
    else asked[name] = text;
  }
  return resolve(asked);
}

/** Up to 15 decimal digits as a number. Any other text stays as it is, and the query check reports it. */
function toInteger(value: string): number | string {
  return /^0*\d{1,15}$/.test(value) ? Number(value) : value;
}

/** Up to 11 decimal digits as a number. Any other text stays as it is: a date, a time, or a fault. */
function toSeconds(value: string): number | string {
  return /^\d{1,11}$/.test(value) ? Number(value) : value;
}

/** Like {@link toInteger}, but every larger number becomes {@link MAX_LIMIT}. */
export function cutToLimit(value: string): number | string {
  return /^\d+$/.test(value) ? Math.min(Number(value), MAX_LIMIT) : value;
}

function sortFault(value: string): SkillSearchError | undefined {
  if ((HTTP_SORT_ORDERS as readonly string[]).includes(value)) return undefined;
  const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  const message = `sortBy must be one of ${HTTP_SORT_ORDERS.join(', ')}, got ${shown}`;
  return new SkillSearchError('INVALID_PARAMETER', message, { parameter: 'sortBy' });
}
