import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** The SHA-256 of a chunk, in hex: its name. */
export function digestOf(chunk: Buffer): string {
  return createHash('sha256').update(chunk).digest('hex');
}

/**
 * Reads until the buffer is full or the file ends.
 *
 * @returns how many bytes were read
 */
export async function readChunk(file: FileHandle, buffer: Buffer, from: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
