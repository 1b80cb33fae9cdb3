import { Buffer } from 'node:buffer';
import { type BigIntStats, closeSync, fstatSync, read as readFile } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Admit } from './ahead-allowance.js';
import { changedAtOf, hasRest, isSame, SETTLED_MS } from './file-state.js';
import { openInPlace } from './open-in-place.js';

const read = promisify(readFile);

/** A file as it is on the disk. */
export interface WholeFile {
  readonly bytes: Buffer;
  /** Whether anybody may execute it. */
  readonly executable: boolean;
  /** Last change of the file, in Unix seconds. */
  readonly changedAt: number;
  /** False if it changed while it was read, twice: the bytes may be those of no state that it ever had. */
  readonly isSteady: boolean;
}

/** Bytes that are read at once: nobody knows how large a file will be that grows. */
const CHUNK_BYTES = 64 * 1024;

/** How often a file is read that changes meanwhile. */
const ATTEMPTS = 2;

/**
 * Reads a file completely, if it is still the file of that path. One that changes meanwhile is read once more.
 *
 * NOTE: A change shows by the times and the size that the system tells. Who writes into mapped memory, or takes longer
 * than {@link SETTLED_MS} for one write, may go unnoticed.
 *
 * @param realPath absolute, without symbolic links
 * @param most bytes that are read
 * @param admit asked before each reading
 * @returns `special` for what is no regular file, `large` for one with more bytes
 * @throws as {@link openInPlace}, and the file system's error if the file cannot be read
 */
export async function readWholeFile(
  realPath: string,
  most: number,
  admit?: Admit,
): Promise<WholeFile | 'special' | 'large'> {
  const { file, found } = await openInPlace(realPath);
  try {
    if (!found.isFile()) return 'special';
    for (let attempt = 1, state = found; ; attempt++) {
      if (state.size > most) return 'large';
      const settled = await settle(file, state);
      const { size, mode } = settled.state;
      await admit?.(Number(size));
      const bytes = await readAll(file, Number(size), most);
      if (bytes === undefined) return 'large';
      state = fstatSync(file, { bigint: true });
      const isSteady = settled.isSettled && isSame(settled.state, state);
      if (!isSteady && attempt < ATTEMPTS) continue;
      const executable = process.platform !== 'win32' && (mode & 0o111n) !== 0n;
      return { bytes, executable, changedAt: changedAtOf(settled.state), isSteady };
    }
  } finally {
    closeSync(file);
  }
}

/** Waits if a file has just changed. Not settled is one that goes on changing. */
async function settle(file: number, state: BigIntStats): Promise<{ state: BigIntStats; isSettled: boolean }> {
  if (hasRest(state)) return { state, isSettled: true };
  await setTimeout(SETTLED_MS);
  const next = fstatSync(file, { bigint: true });
  return { state: next, isSettled: isSame(state, next) || hasRest(next) };
}

/**
 * @param size that the system tells; some files of the system say 0 and are longer
 * @returns undefined if there are more bytes than `most`
 */
async function readAll(file: number, size: number, most: number): Promise<Buffer | undefined> {
  let bytes = Buffer.allocUnsafeSlow(size === 0 ? CHUNK_BYTES : size);
  let length = 0;
  for (;;) {
    const { bytesRead } = await read(file, bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (length > most) return undefined;
    if (bytesRead === 0 || length === size) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], length + CHUNK_BYTES);
  }
}
