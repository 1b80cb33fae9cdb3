import { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  open,
  read as readFile,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';

const openFile: (path: string, flags: number) => Promise<number> = promisify(open);
const read = promisify(readFile);

/** A file as it is on the disk. */
export interface WholeFile {
  readonly bytes: Buffer;
  /** Whether anybody may execute it. */
  readonly executable: boolean;
  /** Last change of the file, in Unix seconds. */
  readonly changedAt: number;
}

// No links: the path was resolved before, so a link must have been put there since. Non-blocking, because opening a
// pipe would wait for a writer.
export const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Bytes that are read at once: nobody knows how large a file will be that grows. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file completely, if it is still the file of that path: no folder above it may have become a link meanwhile.
 *
 * @param realPath absolute, without symbolic links
 * @param most bytes that are read
 * @returns `special` for what is no regular file, `large` for one with more bytes
 * @throws the file system's error if the file cannot be read
 */
export async function readWholeFile(realPath: string, most: number): Promise<WholeFile | 'special' | 'large'> {
  const file = await openFile(realPath, OPEN_FLAGS);
  // Of an open file the system knows the rest without waiting for the disk.
  try {
    const found = fstatSync(file);
    if (!isStillAt(file, found, realPath)) throw new Error('replaced by a link while it was read');
    const { mode, mtimeMs, size } = found;
    if (!found.isFile()) return 'special';
    if (size > most) return 'large';
    const bytes = await readAll(file, size, most);
    if (bytes === undefined) return 'large';
    const executable = process.platform !== 'win32' && (mode & 0o111) !== 0;
    return { bytes, executable, changedAt: Math.max(0, Math.floor(mtimeMs / 1000)) };
  } finally {
    closeSync(file);
  }
}

/** Whether an open file lies where it was opened, and not behind a link. */
function isStillAt(file: number, { ino, dev }: Stats, realPath: string): boolean {
  if (process.platform === 'linux') {
    // What the system says of the open file itself: nothing can change in between.
    const path = pathOf(file);
    if (path !== undefined) return path === realPath;
  }
  const found = lstatSync(realPath);
  return ino === found.ino && dev === found.dev && realpathSync(realPath) === realPath;
}

function pathOf(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
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
