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

/** The values of `sortBy` here; the library has one more. The first is the default. */
export const HTTP_SORT_ORDERS = ['recent', 'stars'] as const;

/** In the order in which faults are told. */
const KEYWORD_PARAMETERS = ['q', 'page', 'limit', 'sortBy', 'category', 'occupation'] as const;
const SEMANTIC_PARAMETERS = ['q'] as const;

/**
 * The question of a keyword search.
 *
 * @param query the query string, without the question mark
 * @param cutLimit whether a `limit` above the largest is taken as that
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
      // A fault of the parameters before this one comes first.
      if (name !== 'q') resolveKeywordQuery(asked as unknown as KeywordQuery);
      throw fault;
    }
    if (name === 'page') asked[name] = toInteger(value as string);
    else if (name === 'limit') asked[name] = cutLimit ? cutToLimit(value as string) : toInteger(value as string);
    else asked[name] = value;
  }
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

/** Decimal digits as a number; anything else, and more than a number holds, as it is: it is then told to be out of bounds. */
function toInteger(value: string): number | string {
  return /^0*\d{1,15}$/.test(value) ? Number(value) : value;
}

/** As {@link toInteger}, with {@link MAX_LIMIT} for all that is more. */
export function cutToLimit(value: string): number | string {
  return /^\d+$/.test(value) ? Math.min(Number(value), MAX_LIMIT) : value;
}

function sortFault(value: string): SkillSearchError | undefined {
  if ((HTTP_SORT_ORDERS as readonly string[]).includes(value)) return undefined;
  const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  const message = `sortBy must be one of ${HTTP_SORT_ORDERS.join(', ')}, got ${shown}`;
  return new SkillSearchError('INVALID_PARAMETER', message, { parameter: 'sortBy' });
}
