import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

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
