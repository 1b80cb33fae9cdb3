import { SkillSearchError } from '../index.js';

/** The value of a parameter, or what is wrong with it. */
type Value = string | SkillSearchError;

/**
 * The known parameters of a query string, decoded. Unlike `URLSearchParams` it guesses nothing: a value that is not
 * percent-encoded UTF-8 is an error, and so is a parameter that occurs twice. Unknown parameters are ignored.
 *
 * @param query without the question mark
 */
export function readParameters<Name extends string>(query: string, known: readonly Name[]): ReadonlyMap<Name, Value> {
  const values = new Map<Name, Value>();
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const written = at === -1 ? part : part.slice(0, at);
    // Cheap for unknown names: a query may have thousands.
    if (written.length > LONGEST_NAME) continue;
    const decoded = decode(written);
    const name = known.find((one) => one === decoded);
    if (name === undefined) continue;
    values.set(name, values.has(name) ? repeated(name) : checked(name, decode(at === -1 ? '' : part.slice(at + 1))));
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
