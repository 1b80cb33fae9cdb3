import { createHash } from 'node:crypto';

/** 16 hex digits that are the same for skills with the same name and description, however these are written out. */
export function copyKey(name: string, description: string): string {
  return createHash('sha256')
    .update(`${flatten(name)}\n${flatten(description)}`)
    .digest('hex')
    .slice(0, 16);
}

function flatten(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
