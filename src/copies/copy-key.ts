import { createHash } from 'node:crypto';

const NOT_ASCII = /[^\0-\x7f]/;

/** 16 hex digits that are the same for skills with the same name and description, however these are written out. */
export function copyKey(name: string, description: string): string {
  return createHash('sha256')
    .update(`${flatten(name)}\n${flatten(description)}`)
    .digest('hex')
    .slice(0, 16);
}

function flatten(text: string): string {
  // ASCII is its own normal form, which the runtime does not know at once.
  const composed = NOT_ASCII.test(text) ? text.normalize('NFKC') : text;
  return composed.toLowerCase().replace(/\s+/g, ' ').trim();
}
