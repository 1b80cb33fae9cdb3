import { createHash } from 'node:crypto';

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * The key of a skill's name and description: equal for skills that differ in these only by case and white space.
 *
 * The key is stored with each skill, and is stricter than `nameKey`: in a description punctuation may carry the
 * meaning.
 *
 * @returns 16 hex digits
 */
export function copyKey(name: string, description: string): string {
  return createHash('sha256')
    .update(`${flatten(name)}\n${flatten(description)}`)
    .digest('hex')
    .slice(0, 16);
}

function flatten(text: string): string {
  // ASCII text is its own normal form. The runtime takes longer to find that out.
  const composed = NOT_ASCII.test(text) ? text.normalize('NFKC') : text;
  return composed.toLowerCase().replace(/\s+/g, ' ').trim();
}
