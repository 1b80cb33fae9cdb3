import type { Buffer } from 'node:buffer';
import type { ReadOptions } from '../rows/read-options.js';
import { Turns } from '../rows/turns.js';

/**
 * Bytes that a file or standard input may have, after unpacking, by default. A hundred times the largest catalogue
 * known. More is a mistake or an attack: a stream without end, or a sparse file.
 */
const MAX_UNPACKED_BYTES: number = 32 * 1024 ** 3;

/**
 * How many times its compressed size a gzip source may have, by default. Catalogues have 3 to 5, those of one template
 * up to 30; gzip reaches 1,000.
 */
const MAX_RATIO = 100;

/** Unpacked bytes from which on the ratio counts: a small source cannot do harm, and may repeat itself. */
const FREE_UNPACKED_BYTES: number = 16 * 1024 * 1024;

/** Chunks of up to 256 KiB after which the event loop gets a turn, if they took no time. */
const CHUNKS_A_TURN = 32;

/** A source has more than it may. */
export class SourceLimit extends Error {
  override readonly name = 'SourceLimit' as const;
}

/**
 * Passes bytes on up to the limits of a source, and gives the event loop its turn.
 *
 * @param packedBytes how many packed bytes were read so far; undefined if the source is not packed
 * @throws {SourceLimit} that names the limit, after everything before it
 */
export async function* boundedBytes(
  chunks: AsyncIterable<Buffer>,
  packedBytes: (() => number) | undefined,
  options: Pick<ReadOptions, 'maxUnpackedBytes' | 'maxRatio' | 'signal'>,
): AsyncGenerator<Buffer> {
  const most = orEndless(options.maxUnpackedBytes ?? MAX_UNPACKED_BYTES);
  const ratio = orEndless(options.maxRatio ?? MAX_RATIO);
  const turns = new Turns(CHUNKS_A_TURN);
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > most) {
      const rest = most - (total - chunk.length);
      if (rest > 0) yield chunk.subarray(0, rest);
      throw new SourceLimit(limitReached(`more than ${inGigabytes(most)}`, 'maxUnpackedBytes'));
    }
    if (packedBytes !== undefined && total > FREE_UNPACKED_BYTES && total > ratio * packedBytes()) {
      throw new SourceLimit(
        limitReached(`more than ${ratio.toLocaleString('en')} times its compressed size`, 'maxRatio'),
      );
    }
    yield chunk;
    if (turns.isDue()) {
      await turns.take();
      options.signal?.throwIfAborted();
    }
  }
}

/** 0 means no limit. */
function orEndless(limit: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

function limitReached(what: string, option: 'maxUnpackedBytes' | 'maxRatio'): string {
  return `the source has ${what}, the rest is not read: raise ${option} if you trust it`;
}

function inGigabytes(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toLocaleString('en')} GiB` : `${bytes.toLocaleString('en')} bytes`;
}
