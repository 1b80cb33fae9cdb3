import { wholeOf } from './body.js';
import type { Content } from './call.js';
import { withEntityTag } from './entity-tag.js';

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
