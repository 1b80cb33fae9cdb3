import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';

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
  const file = await open(realPath, OPEN_FLAGS);
  try {
    if (!(await isStillAt(file, realPath))) throw new Error('replaced by a link while it was read');
    const found = await file.stat();
    const { mode, mtimeMs, size } = found;
    if (!found.isFile()) return 'special';
    if (size > most) return 'large';
    const bytes = await readAll(file, size, most);
    if (bytes === undefined) return 'large';
    const executable = process.platform !== 'win32' && (mode & 0o111) !== 0;
    return { bytes, executable, changedAt: Math.max(0, Math.floor(mtimeMs / 1000)) };
  } finally {
    await file.close();
  }
}

/** Whether an open file lies where it was opened, and not behind a link. */
async function isStillAt(file: FileHandle, realPath: string): Promise<boolean> {
  if (process.platform === 'linux') {
    // What the system says of the open file itself: nothing can change in between.
    const path = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
    if (path !== undefined) return path === realPath;
  }
  const [opened, found] = await Promise.all([file.stat({ bigint: true }), lstat(realPath, { bigint: true })]);
  return opened.ino === found.ino && opened.dev === found.dev && (await realpath(realPath)) === realPath;
}

/** @returns undefined if there are more bytes than `most` */
async function readAll(file: FileHandle, size: number, most: number): Promise<Buffer | undefined> {
  let bytes = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length > most) return undefined;
    if (length === bytes.length) bytes = Buffer.concat([bytes], length + CHUNK_BYTES);
  }
}
