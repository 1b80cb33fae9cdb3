import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ReadOptions, ResolvedSource } from '../rows/read-options.js';
import { gunzip, isGzip } from './gunzip.js';

const CHUNK_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The bytes of a file or of standard input, unpacked where they are gzip (told by their first bytes, not by a name),
 * without a byte order mark.
 *
 * Everything that could be read is yielded before an error is thrown. Throws the signal's reason when aborted.
 */
export async function* readBytes(source: ResolvedSource, options: ReadOptions): AsyncGenerator<Buffer> {
  const raw =
    source.kind === 'stdin' ? readStream(options.stdin ?? process.stdin, options.signal) : readFile(source.path);
  const head = await withHead(countBytes(raw, options), 2);
  const plain = isGzip(head.bytes) ? gunzip(head.chunks) : head.chunks;

  yield* withoutByteOrderMark(plain);
}

async function* countBytes(chunks: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Buffer> {
  let read = 0;
  options.signal?.throwIfAborted();
  for await (const chunk of chunks) {
    options.signal?.throwIfAborted();
    read += chunk.length;
    options.onBytes?.(read);
    yield chunk;
  }
}

// Read with a handle, not with a stream: a stream that fails drops what it had read ahead.
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const file: FileHandle = await open(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* readStream(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  // A wait for input that never comes has to end too, hence destroy().
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  signal?.throwIfAborted();
}

/** The first bytes of a stream (fewer where it has fewer), and the whole stream still to be read. */
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
  let first = true;
  for await (const chunk of head.chunks) {
    const marked = first && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    first = false;
    yield marked ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
  }
}
