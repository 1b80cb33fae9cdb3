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
    const written = at === -1 ? part : part.slice(0, at);
    // Quick for what nobody knows: it may come thousands of times.
    if (written.length > LONGEST_NAME) continue;
    const decoded = decode(written);
    const name = known.find((one) => one === decoded);
    if (name === undefined) continue;
    values.set(name, values.has(name) ? repeated(name) : checked(name, decode(at === -1 ? '' : part.slice(at + 1))));
  }
  return values;
}

/** Of a known parameter, each character written with a percent sign: `occupation`. */
const LONGEST_NAME = 30;

/** Undefined where it is not percent-encoded UTF-8; lone surrogates are not. */
function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  // A sign without two digits behind it: the most frequent fault, and an exception takes long.
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
