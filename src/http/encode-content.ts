import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Content, wholeOf } from './call.js';

/** Shorter bodies fit into a packet or two with or without. */
const LEAST_LENGTH = 1024;

/**
 * The content as the client takes it: with its `ETag` where it is tagged, and compressed where that may be.
 *
 * @param header reads a header of the request
 */
export function encodeContent(
  content: Content,
  header: (name: string) => string | undefined,
): Content | Promise<Content> {
  const { gzip: zip, body } = content;
  const tagged = (one: Content, suffix: '' | '-gzip'): Content =>
    one.tagged === true ? withEntityTag(one, header('if-none-match'), suffix) : one;
  if (zip === undefined) return tagged(content, '');
  const { Vary: vary, ...rest } = content.headers ?? {};
  const varied = { ...content, headers: { ...rest, Vary: [vary, 'Accept-Encoding'].filter(Boolean).join(', ') } };
  const isShort = wholeOf(body).length < LEAST_LENGTH;
  if (isShort || !acceptsGzip(header('accept-encoding'))) return tagged(varied, '');
  const found = tagged(varied, '-gzip');
  if (found.status === 304) return found;
  return zip().then((bytes) => ({
    ...found,
    headers: { ...found.headers, 'Content-Encoding': 'gzip' },
    body: bytes,
  }));
}

/** By RFC 9110, 12.5.3: a coding with the weight 0 is refused, and `*` stands for those that are not named. */
function acceptsGzip(accepted: string | undefined): boolean {
  if (accepted === undefined) return false;
  const weights = new Map<string, number>();
  for (const one of accepted.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = one.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : Number(weight));
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
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

/** A page takes a millisecond; higher levels take twice as long for a few per cent. */
const FAST = 4;
const BEST = 9;

const compress = promisify(gzip);

/**
 * A text as gzip, made outside of the main thread. Pages hold no secrets that lengths could tell.
 *
 * @param isKept whether it is made once and sent often
 */
export async function gzipped(text: string, isKept: boolean): Promise<Uint8Array<ArrayBuffer>> {
  return compress(text, { level: isKept ? BEST : FAST });
}
