import { type FileHandle, open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Size and checksum of a file, which show whether it is whole. */
export interface Checksum {
  /** In bytes. */
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
}

/** Bytes read and checked between two turns of the event loop: about a millisecond. */
const BYTES_PER_TURN = 1 << 20;

/** Reads a file piece by piece. @returns undefined if there is no file, or it cannot be read */
export async function checksumOf(path: string): Promise<Checksum | undefined> {
  try {
    const file = await openFile(path);
    try {
      const piece = Buffer.alloc(BYTES_PER_TURN);
      let [size, crc] = [0, 0];
      for (;;) {
        const { bytesRead } = await file.read(piece, 0, piece.length, size);
        if (bytesRead === 0) return { size, crc };
        crc = crc32(piece.subarray(0, bytesRead), crc);
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Opens only files: opening a pipe could wait forever. */
async function openFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`);
  return open(path);
}
