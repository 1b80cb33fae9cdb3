import { countCodePoints, MAX_LIMIT, trimWhiteSpace } from '../core/index.js';
import { type KeywordQuery, type SemanticQuery, SkillSearchError } from '../index.js';
import {
  type ResolvedKeywordQuery,
  type ResolvedSemanticQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
} from '../query.js';
import { readParameters } from './parameters.js';
import {
  HTTP_SORT_ORDERS,
  KEYWORD_PARAMETERS,
  MAX_DIGITS,
  type QueryParameter,
  SEMANTIC_PARAMETERS,
} from './query-parameters.js';

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
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = values.get(name);
    if (value === undefined) continue;
    const fault =
      value instanceof SkillSearchError ? value : (questionFault(parameter, value) ?? choiceFault(parameter, value));
    if (fault !== undefined) {
      // Report a fault of the parameters before this one first.
      if (name !== 'q') resolve(asked);
      throw fault;
    }
    asked[name] = meaningOf(parameter, value as string, cutLimit);
  }
  return resolve(asked);
}

/**
 * What a parameter is written as becomes what the library takes. A text that means nothing stays, and is a fault there.
 */
function meaningOf(parameter: QueryParameter, text: string, cutLimit: boolean): string | number | boolean {
  if (parameter.kind === 'time') return toSeconds(text);
  if (parameter.kind === 'flag') return text === 'true' || (text === 'false' ? false : text);
  if (parameter.kind !== 'integer') return text;
  return parameter.cut === 'compatible' && cutLimit ? cutToLimit(text) : toInteger(text);
}

const INTEGER = new RegExp(`^0*\\d{1,${MAX_DIGITS}}$`);

/** At most {@link MAX_DIGITS} decimal digits as a number. Any other text stays as it is. */
function toInteger(value: string): number | string {
  return INTEGER.test(value) ? Number(value) : value;
}

/** Up to 11 decimal digits as a number. Any other text stays as it is: a date, a time, or a fault. */
function toSeconds(value: string): number | string {
  return /^\d{1,11}$/.test(value) ? Number(value) : value;
}

/** Like {@link toInteger}, but every larger number becomes {@link MAX_LIMIT}. */
export function cutToLimit(value: string): number | string {
  return /^\d+$/.test(value) ? Math.min(Number(value), MAX_LIMIT) : value;
}

/** The library reads a part of a longer question. Over HTTP the specification has it refused. */
export function questionFault(parameter: QueryParameter, value: unknown): SkillSearchError | undefined {
  if (parameter.kind !== 'question' || typeof value !== 'string') return undefined;
  const length = countCodePoints(trimWhiteSpace(value));
  if (length <= parameter.longest) return undefined;
  const message = `q must have at most ${parameter.longest} characters, got ${length}`;
  return new SkillSearchError('INVALID_QUERY', message, { parameter: 'q' });
}

/** The library has more choices than HTTP, so they are checked here. */
function choiceFault(parameter: QueryParameter, value: string): SkillSearchError | undefined {
  if (parameter.kind !== 'choice' || parameter.choices.includes(value)) return undefined;
  const { name, choices } = parameter;
  const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return new SkillSearchError('INVALID_PARAMETER', `${name} must be one of ${choices.join(', ')}, got ${shown}`, {
    parameter: name,
  });
}
