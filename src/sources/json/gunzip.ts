import type { Buffer } from 'node:buffer';
import { createGunzip } from 'node:zlib';

/**
 * Compressed bytes given to zlib at once. At the best ratio of gzip (1:1000) they become 16 MB: this bounds the memory.
 */
const SLICE_BYTES = 16 * 1024;

/** Whether bytes begin like gzip data. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses gzip data. Yields everything that could be decompressed before it throws for a fault in the data. A
 * plain pipe through zlib's stream would drop the chunks that it still held.
 */
export async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 128 * 1024 });
  let ready: Buffer[] = [];
  let failure: Error | undefined;
  let ended = false;
  // Resolves the wait below. A write that fails never calls back, and the data may end before the file does (padding).
  let proceed = (): void => {};
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  stream.on('end', () => {
    ended = true;
    proceed();
  });
  stream.on('error', (error) => {
    failure = error;
    proceed();
  });
  const takeReady = (): Buffer[] => {
    const taken = ready;
    ready = [];
    return taken;
  };
  const write = (part: Buffer): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      stream.write(part, () => resolve());
    });
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      stream.end();
    });

  try {
    let plain: Buffer[] = [];
    for await (const chunk of compressed) {
      for (let at = 0; at < chunk.length && failure === undefined && !ended; at += SLICE_BYTES) {
        const written = write(chunk.subarray(at, at + SLICE_BYTES));
        // zlib works on this slice in its own thread while the slice before is consumed here.
        yield* plain;
        await written;
        plain = takeReady();
      }
      if (failure !== undefined || ended) break;
    }
    yield* plain;
    if (failure === undefined && !ended) await end();
    yield* takeReady();
    if (failure !== undefined) throw gzipError(failure);
  } finally {
    stream.destroy();
  }
}

function gzipError(cause: Error): Error {
  const truncated = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  const message = truncated
    ? 'the gzip data ends too early (was the file copied or downloaded completely?)'
    : `the gzip data is damaged (${cause.message})`;
  return new Error(message, { cause });
}
