import { SkillSearchError } from '../index.js';

/** What came under a name: a text, or what is wrong with it. */
type Value = string | SkillSearchError;

/**
 * The known parameters of a query string, decoded. Strict, unlike URLSearchParams: what is not percent-encoded UTF-8, or
 * comes twice, is a fault and not a guess. Unknown parameters are ignored.
 *
 * @param query without the question mark
 */
export function readParameters<Name extends string>(query: string, known: readonly Name[]): ReadonlyMap<Name, Value> {
  const values = new Map<Name, Value>();
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const name = known.find((one) => one === decode(at === -1 ? part : part.slice(0, at)));
    if (name === undefined) continue;
    values.set(name, values.has(name) ? repeated(name) : checked(name, decode(at === -1 ? '' : part.slice(at + 1))));
  }
  return values;
}

/** Undefined where it is not percent-encoded UTF-8; lone surrogates are not. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
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
