import { createHash } from 'node:crypto';
import { wholeOf } from './body.js';
import type { Content } from './call.js';

/**
 * The content with the hash of its body as its `ETag`, or 304 without a body if the client has that already. Only what
 * is 200 gets one.
 *
 * @param known the header `If-None-Match` of the request
 * @param suffix what the tag ends with in this encoding: `-gzip`, or nothing as it is
 */
export function withEntityTag(content: Content, known: string | undefined, suffix: '' | '-gzip'): Content {
  const { status = 200, headers = {}, body, sha256 } = content;
  if (status !== 200) return content;
  const digest =
    sha256 === undefined ? createHash('sha256').update(wholeOf(body)).digest() : Buffer.from(sha256, 'hex');
  const hash = digest.toString('base64url').slice(0, 22);
  const tagged = { ...headers, ETag: `"${hash}${suffix}"` };
  if (!isKnown(hash, known)) return { ...content, headers: tagged };
  const { 'Content-Type': _, ...rest } = tagged as Record<string, string>;
  return { ...content, status: 304, headers: rest, body: '' };
}

/**
 * By weak comparison, as RFC 9110, 13.1.2, wants it: a proxy that compresses makes our tag a weak one. Whoever has one
 * encoding needs no other.
 */
function isKnown(hash: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  const tags = ['*', `"${hash}"`, `"${hash}-gzip"`];
  return known.split(',').some((one) => tags.includes(one.trim().replace(/^W\//, '')));
}
