import { authorKey } from './author-key.js';
import { countCodePoints } from './count-code-points.js';
import { MAX_NAME } from './limits.js';

/**
 * What two statements of a licence share if they differ in upper and lower case, and in the white space around them, at
 * most.
 *
 * @returns undefined for a text that is too long to name a licence
 * @example
 * licenseKey('MIT ') === licenseKey('mit'); // true
 */
export function licenseKey(license: string): string | undefined {
  const name = license.trim();
  // A code point has at most two units.
  if (name.length > 2 * MAX_NAME || countCodePoints(name) > MAX_NAME) return undefined;
  return authorKey(name);
}
