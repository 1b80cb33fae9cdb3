import { Buffer } from 'node:buffer';
import { closeSync, read as readFile } from 'node:fs';
import { promisify } from 'node:util';
import { openInPlace } from './open-in-place.js';

const read = promisify(readFile);

/** A file as it is on the disk. */
export interface WholeFile {
  readonly bytes: Buffer;
  /** Whether anybody may execute it. */
  readonly executable: boolean;
  /** Last change of the file, in Unix seconds. */
  readonly changedAt: number;
}

/** Bytes that are read at once: nobody knows how large a file will be that grows. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file completely, if it is still the file of that path.
 *
 * @param realPath absolute, without symbolic links
 * @param most bytes that are read
 * @returns `special` for what is no regular file, `large` for one with more bytes
 * @throws as {@link openInPlace}, and the file system's error if the file cannot be read
 */
export async function readWholeFile(realPath: string, most: number): Promise<WholeFile | 'special' | 'large'> {
  const { file, found } = await openInPlace(realPath);
  try {
    if (!found.isFile()) return 'special';
    if (found.size > most) return 'large';
    const bytes = await readAll(file, Number(found.size), most);
    if (bytes === undefined) return 'large';
    const executable = process.platform !== 'win32' && (found.mode & 0o111n) !== 0n;
    return { bytes, executable, changedAt: Math.max(0, Math.floor(Number(found.mtimeMs) / 1000)) };
  } finally {
    closeSync(file);
  }
}

/**
 * @param size that the system tells; some files of the system say 0 and are longer
 * @returns undefined if there are more bytes than `most`
 */
async function readAll(file: number, size: number, most: number): Promise<Buffer | undefined> {
  let bytes = Buffer.allocUnsafeSlow(size === 0 ? CHUNK_BYTES : size);
  let length = 0;
  for (;;) {
    const { bytesRead } = await read(file, bytes, length, bytes.length - length, null);
    length += bytesRead;
    if (length > most) return undefined;
    if (bytesRead === 0 || length === size) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], length + CHUNK_BYTES);
  }
}
