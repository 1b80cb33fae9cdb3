import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Content } from './call.js';

/** Shorter bodies fit into a packet or two with or without. */
const LEAST_LENGTH = 1024;

const compress = promisify(gzip);

/**
 * The content as the client takes it: with its `ETag` where it is tagged, and compressed where that may be. Pages hold
 * no secrets that lengths could tell.
 *
 * @param header reads a header of the request
 */
export async function encodeContent(content: Content, header: (name: string) => string | undefined): Promise<Content> {
  const known = header('if-none-match');
  if (content.compressed !== true) return withEntityTag(content, known, '');
  const { Vary: vary, ...rest } = content.headers ?? {};
  const varied = { ...content, headers: { ...rest, Vary: [vary, 'Accept-Encoding'].filter(Boolean).join(', ') } };
  const accepted = weightsOf(header('accept-encoding')?.replaceAll('x-gzip', 'gzip'));
  const isZipped = content.body.length >= LEAST_LENGTH && (accepted.get('gzip') ?? accepted.get('*') ?? 0) > 0;
  const tagged = withEntityTag(varied, known, isZipped ? '-gzip' : '');
  if (!isZipped || tagged.status === 304) return tagged;
  const headers = { ...tagged.headers, 'Content-Encoding': 'gzip' };
  return { ...tagged, headers, body: await compress(tagged.body) };
}

/** A weight as RFC 9110, 12.4.2, writes it. */
const WEIGHT = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The weights of what a client accepts; 0 for what it refuses, and for a weight that is malformed. */
export function weightsOf(accepted = ''): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const one of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
    weights.set(name, weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0));
  }
  return weights;
}

/**
 * The content with the hash of its body as its `ETag`, or 304 without a body if the client has that already. Only what
 * is 200 gets one.
 *
 * @param known the header `If-None-Match` of the request
 * @param suffix what the tag ends with in this encoding: `-gzip`, or nothing as it is
 */
function withEntityTag(content: Content, known: string | undefined, suffix: '' | '-gzip'): Content {
  const { status = 200, headers = {}, body, sha256 } = content;
  if (content.tagged !== true || status !== 200) return content;
  const digest = sha256 === undefined ? createHash('sha256').update(body).digest() : Buffer.from(sha256, 'hex');
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
