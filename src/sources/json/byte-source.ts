import { Buffer } from 'node:buffer';
import type { ReadOptions } from '../rows/read-options.js';
import { boundedBytes } from './bounded-bytes.js';
import { gunzip, isGzip } from './gunzip.js';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The bytes of a source, uncompressed if they are gzip, and without a byte order mark. Gzip is recognised by its first
 * bytes, not by a file name.
 *
 * Yields everything that could be read, up to the limits of a source, before it throws an error. Throws the signal's
 * reason when aborted.
 */
export async function* plainBytes(raw: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Buffer> {
  let read = 0;
  const onBytes = (bytes: number): void => {
    read = bytes;
    options.onBytes?.(bytes);
  };
  const head = await withHead(countBytes(raw, onBytes, options.signal), 2);
  const packed = isGzip(head.bytes);
  const plain = packed ? gunzip(head.chunks) : head.chunks;
  yield* boundedBytes(withoutByteOrderMark(plain), packed ? () => read : undefined, options);
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  onBytes: (read: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let read = 0;
  signal?.throwIfAborted();
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    read += chunk.length;
    onBytes(read);
    yield chunk;
  }
}

/** The first bytes of a stream, fewer if it has fewer, and the whole stream, still to be read. */
async function withHead(
  chunks: AsyncGenerator<Buffer>,
  wanted: number,
): Promise<{ bytes: Buffer; chunks: AsyncGenerator<Buffer> }> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < wanted) {
    const next = await chunks.next();
    if (next.done) break;
    bytes = bytes.length === 0 ? next.value : Buffer.concat([bytes, next.value]);
  }

  async function* whole(): AsyncGenerator<Buffer> {
    try {
      if (bytes.length > 0) yield bytes;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return { bytes, chunks: whole() };
}

async function* withoutByteOrderMark(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const head = await withHead(chunks, BYTE_ORDER_MARK.length);
  let isFirst = true;
  for await (const chunk of head.chunks) {
    const isMarked = isFirst && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    isFirst = false;
    yield isMarked ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
  }
}
