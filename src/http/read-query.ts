import {
  countCodePoints,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_SEMANTIC_QUERY_LENGTH,
  trimWhiteSpace,
} from '../core/index.js';
import { type KeywordQuery, type SemanticQuery, SKILL_SCOPES, SkillSearchError } from '../index.js';
import {
  type ResolvedKeywordQuery,
  type ResolvedSemanticQuery,
  resolveKeywordQuery,
  resolveSemanticQuery,
} from '../query.js';

/** The values of `sortBy` over HTTP; the first is the default. The library has also `relevance`. */
const HTTP_SORT_ORDERS = ['recent', 'stars'] as const;

/**
 * A parameter of an operation. The tables below are what query strings are read by, and in which order faults are told.
 * `data/openapi.json` describes them.
 */
export type QueryParameter = {
  readonly name: string;
} /** Its length is counted in code points, without the white space around it. */ & (
  | { readonly kind: 'question'; readonly longest: number }
  /** Decimal digits. A larger number may be taken as the largest, for clients of the public service. */
  | { readonly kind: 'integer'; readonly cut?: 'compatible' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** `true` or `false` */
  | { readonly kind: 'flag' }
  /** A date or time as ISO 8601 has it, or Unix seconds in at most 11 decimal digits. */
  | { readonly kind: 'time' }
  | { readonly kind: 'text' }
);

const OWN_FILTERS: readonly QueryParameter[] = [
  { name: 'author', kind: 'text' },
  { name: 'license', kind: 'text' },
  { name: 'minStars', kind: 'integer' },
  { name: 'updatedAfter', kind: 'time' },
  { name: 'updatedBefore', kind: 'time' },
  { name: 'agent', kind: 'text' },
  { name: 'scope', kind: 'choice', choices: SKILL_SCOPES },
  { name: 'invocable', kind: 'flag' },
];

/** The parameters of `searchSkills`. The first faulty one in this order is reported. */
const KEYWORD_PARAMETERS: readonly QueryParameter[] = [
  { name: 'q', kind: 'question', longest: MAX_KEYWORD_QUERY_LENGTH },
  { name: 'page', kind: 'integer' },
  { name: 'limit', kind: 'integer', cut: 'compatible' },
  { name: 'sortBy', kind: 'choice', choices: HTTP_SORT_ORDERS },
  { name: 'category', kind: 'text' },
  { name: 'occupation', kind: 'text' },
  ...OWN_FILTERS,
];

/** The parameters of `aiSearchSkills`. Likewise. */
const SEMANTIC_PARAMETERS: readonly QueryParameter[] = [
  { name: 'q', kind: 'question', longest: MAX_SEMANTIC_QUERY_LENGTH },
  ...OWN_FILTERS,
];

/** The question of `findSkills`. */
export const FIND_QUESTION: QueryParameter = { name: 'q', kind: 'question', longest: MAX_KEYWORD_QUERY_LENGTH };

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
    const value = values[name];
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

/** The most digits of an integer that is read, leading zeros aside: all such numbers are exact. */
const MAX_DIGITS = 15;
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

/** The value of a parameter, or what is wrong with it. */
type Value = string | SkillSearchError;

/**
 * The known parameters of a query string, decoded. Unlike `URLSearchParams` it guesses nothing: a value that is not
 * percent-encoded UTF-8 is an error, and so is a parameter that occurs twice. Unknown parameters are ignored.
 *
 * @param query without the question mark
 */
export function readParameters<Name extends string>(
  query: string,
  known: readonly Name[],
): Readonly<Partial<Record<Name, Value>>> {
  const values: Partial<Record<Name, Value>> = {};
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const written = at === -1 ? part : part.slice(0, at);
    // Cheap for unknown names: a query may have thousands.
    if (written.length > LONGEST_NAME) continue;
    const decoded = decode(written);
    const name = known.find((one) => one === decoded);
    if (name === undefined) continue;
    values[name] = name in values ? repeated(name) : checked(name, decode(at === -1 ? '' : part.slice(at + 1)));
  }
  return values;
}

/** The longest known name, `updatedBefore`, with each character percent-encoded. */
const LONGEST_NAME = 39;

/** Undefined for a text that is not percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  // The most frequent fault, a `%` without two digits, is found without the cost of an exception.
  if (/%(?![0-9a-f]{2})/i.test(spaced)) return undefined;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

function checked(parameter: string, value: string | undefined): Value {
  const code = parameter === 'q' ? 'INVALID_QUERY' : 'INVALID_PARAMETER';
  if (value === undefined) {
    return new SkillSearchError(code, `${parameter} must be percent-encoded UTF-8`, { parameter });
  }
  if (value.includes('\0')) {
    return new SkillSearchError(code, `${parameter} must not hold the character NUL`, { parameter });
  }
  return value;
}

function repeated(parameter: string): SkillSearchError {
  return new SkillSearchError('INVALID_PARAMETER', `${parameter} must be given once`, { parameter });
}
