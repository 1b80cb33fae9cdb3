import type { Buffer } from 'node:buffer';
import { createGunzip } from 'node:zlib';

/** Packed bytes handed to zlib at once: at gzip's best ratio (1:1000) these become 16 MB, which bounds the memory. */
const SLICE_BYTES = 16 * 1024;

/** Whether bytes begin as gzip data does. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Unpacks gzip data. What could be unpacked is yielded before a fault in the data is thrown; a plain pipe through
 * zlib's stream would drop the chunks it still held.
 */
export async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 128 * 1024 });
  let ready: Buffer[] = [];
  let failure: Error | undefined;
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  // A write that fails never calls back, and data may end before the file does (padding): waiting ends here.
  let proceed = (): void => {};
  let ended = false;
  stream.on('end', () => {
    ended = true;
    proceed();
  });
  stream.on('error', (error) => {
    failure = error;
    proceed();
  });
  const take = (): Buffer[] => {
    const taken = ready;
    ready = [];
    return taken;
  };

  const write = (part: Buffer): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      stream.write(part, () => resolve());
    });

  try {
    let unpacked: Buffer[] = [];
    for await (const chunk of packed) {
      for (let at = 0; at < chunk.length && failure === undefined && !ended; at += SLICE_BYTES) {
        const written = write(chunk.subarray(at, at + SLICE_BYTES));
        // zlib has a thread of its own: it is at this slice while the one before is read.
        yield* unpacked;
        await written;
        unpacked = take();
      }
      if (failure !== undefined || ended) break;
    }
    yield* unpacked;
    if (failure === undefined && !ended) {
      await new Promise<void>((resolve) => {
        proceed = resolve;
        stream.end();
      });
    }
    yield* take();
    if (failure !== undefined) throw gzipError(failure);
  } finally {
    stream.destroy();
  }
}

function gzipError(cause: Error): Error {
  const truncated = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  const message = truncated
    ? 'the gzip data ends too early (a file that was not copied or loaded down completely?)'
    : `the gzip data is damaged (${cause.message})`;
  return new Error(message, { cause });
}
