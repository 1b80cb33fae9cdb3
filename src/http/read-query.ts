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

/** The first faulty one in this order is reported. */
const KEYWORD_PARAMETERS = ['q', 'page', 'limit', 'sortBy', 'category', 'occupation'] as const;
const SEMANTIC_PARAMETERS = ['q'] as const;

/**
 * The question of a keyword search.
 *
 * @param query the query string, without the question mark
 * @param cutLimit whether a `limit` above {@link MAX_LIMIT} becomes {@link MAX_LIMIT}
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function readKeywordQuery(query: string, cutLimit: boolean): ResolvedKeywordQuery {
  const values = readParameters(query, KEYWORD_PARAMETERS);
  const asked: Record<string, unknown> = { sortBy: HTTP_SORT_ORDERS[0], copies: 'keep' };
  for (const name of KEYWORD_PARAMETERS) {
    const value = values.get(name);
    if (value === undefined) continue;
    const fault = value instanceof SkillSearchError ? value : name === 'sortBy' ? sortFault(value) : undefined;
    if (fault !== undefined) {
      // Report a fault of the parameters before this one first.
      if (name !== 'q') resolveKeywordQuery(asked as unknown as KeywordQuery);
      throw fault;
    }
    if (name === 'page') asked[name] = toInteger(value as string);
    else if (name === 'limit') asked[name] = cutLimit ? cutToLimit(value as string) : toInteger(value as string);
    else asked[name] = value;
  }
  // `resolveKeywordQuery` checks every value, whatever its type.
  return resolveKeywordQuery(asked as unknown as KeywordQuery);
}

/**
 * The question of a semantic search.
 *
 * @throws {SkillSearchError} `MISSING_QUERY`, `INVALID_QUERY`, `INVALID_PARAMETER`
 */
export function readSemanticQuery(query: string): ResolvedSemanticQuery {
  const q = readParameters(query, SEMANTIC_PARAMETERS).get('q');
  if (q instanceof SkillSearchError) throw q;
  return resolveSemanticQuery({ q } as SemanticQuery);
}

/** Up to 15 decimal digits as a number. Any other text stays as it is, and the query check reports it. */
function toInteger(value: string): number | string {
  return /^0*\d{1,15}$/.test(value) ? Number(value) : value;
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
