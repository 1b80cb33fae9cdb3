import { Buffer, isUtf8 } from 'node:buffer';
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  open,
  readlinkSync,
  read as readSome,
  realpathSync,
  type Stats,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { compareCodePoints, MAX_FILE_BYTES } from '../../core/index.js';
import { utf8Boundary } from '../rows/texts.js';

const openFile = promisify(open);
const read = promisify(readSome);

/** The content of a file. */
export interface ReadFile {
  readonly bytes: Buffer;
  /** Whether the file is longer than the bytes. */
  readonly cut: boolean;
  /** Whether anybody may execute it. */
  readonly executable: boolean;
  /** Last change of the file, in Unix seconds. */
  readonly changedAt: number;
  /** False if it changed while it was read, twice: the bytes may be those of no state that it ever had. */
  readonly isSteady: boolean;
}

interface ReadOptions {
  /** Bytes that are read. */
  readonly most: number;
  /** Whether the beginning is read of a file with more bytes, which is `large` otherwise. */
  readonly cuts?: boolean;
  /** Whether of a binary file only the head is read. */
  readonly skipsBinary?: boolean;
  /** Asked before each reading. */
  readonly admit?: Admit | undefined;
}

/** Is told how many bytes are going to be read, and may put it off. */
export type Admit = (bytes: number) => Promise<void> | undefined;

/** How often a file is read that changes meanwhile. */
const ATTEMPTS = 2;

/** Bytes that are read at once of a file that says that it has none: nobody knows how many it will have. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file, if it is still the file of that path. One that changes meanwhile is read once more.
 *
 * NOTE: A change shows by the times and the size that the system tells. Who writes into mapped memory, or takes longer
 * than {@link SETTLED_MS} for one write, may go unnoticed.
 *
 * @param realPath absolute, without symbolic links
 * @returns `special` for what is no regular file: a pipe, a socket, a device
 * @throws the file system's error if it cannot be opened or read, and an error if a link has taken its place
 */
export async function readFile(
  realPath: string,
  { most, cuts = false, skipsBinary = false, admit }: ReadOptions,
): Promise<ReadFile | 'special' | 'large' | 'binary'> {
  const file = await openFile(realPath, OPEN_FLAGS);
  // Of an open file the system knows the rest without waiting for the disk.
  try {
    let state = fstatSync(file, { bigint: true });
    if (!isStillAt(file, state, realPath)) throw new Error('replaced by a link while it was read');
    if (!state.isFile()) return 'special';
    for (let attempt = 1; ; attempt++) {
      if (!cuts && state.size > most) return 'large';
      let isSettled = hasRest(state);
      if (!isSettled) {
        await setTimeout(SETTLED_MS);
        const next = fstatSync(file, { bigint: true });
        isSettled = isSame(state, next) || hasRest(next);
        state = next;
      }
      const size = Number(state.size);
      if (skipsBinary && isBinary(await readUpTo(file, size, HEAD_BYTES))) return 'binary';
      await admit?.(Math.min(size, most));
      const bytes = await readUpTo(file, size, most);
      const cut = bytes.length > most;
      if (cut && !cuts) return 'large';
      const now = fstatSync(file, { bigint: true });
      const isSteady = isSettled && isSame(state, now);
      if (isSteady || attempt === ATTEMPTS) {
        const executable = process.platform !== 'win32' && (state.mode & 0o111n) !== 0n;
        const changedAt = Math.max(0, Math.floor(Number(state.mtimeMs) / 1000));
        return { bytes, cut, executable, changedAt, isSteady };
      }
      state = now;
    }
  } finally {
    closeSync(file);
  }
}

// No links: the path was resolved before, so a link must have been put there since. Non-blocking, because opening a
// pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * @param size that the system tells; some files of the system say 0 and are longer
 * @returns one byte more than `most` if there are more
 */
async function readUpTo(file: number, size: number, most: number): Promise<Buffer> {
  let bytes = Buffer.allocUnsafeSlow(Math.min(size === 0 ? CHUNK_BYTES : size, most) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await read(file, bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === size || length > most) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(length + CHUNK_BYTES, most + 1));
  }
}

/** Whether an open file lies where it was opened: no folder above it may have become a link meanwhile. */
function isStillAt(file: number, { ino, dev }: BigIntStats, realPath: string): boolean {
  if (process.platform === 'linux') {
    // What the system says of the open file itself: nothing can change in between.
    try {
      return readlinkSync(`/proc/self/fd/${file}`) === realPath;
    } catch {
      // There is no such file system.
    }
  }
  const found = lstatSync(realPath, { bigint: true });
  return ino === found.ino && dev === found.dev && realpathSync(realPath) === realPath;
}

/**
 * Milliseconds for which something must not have changed before it is read. Two changes within a tick of the system's
 * clock, up to 10 ms, have the same time, so the second would not show.
 */
export const SETTLED_MS = 20;

/** Whether something did not change just now. Of one from the future, whose clock is another, nobody knows. */
export function hasRest({ ctimeMs }: BigIntStats): boolean {
  return Math.abs(Date.now() - Number(ctimeMs)) >= SETTLED_MS;
}

/** Whether a file or folder is the same as before, and nothing has changed in it, by what the system tells. */
export function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/**
 * A text that differs where two looks at a file find that it changed. Programs can set the time of the last write
 * back, as `rsync --times` and `tar` do; the change time shows that, and the inode shows that another file came.
 */
export function stateText({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, mode, size, mtimeMs, ctimeMs].join(' ');
}

/** The beginning of a text file. */
export interface FileText {
  readonly text: string;
  /** Bytes of it. */
  readonly bytes: number;
  /** Whether the file is longer. */
  readonly cut: boolean;
  /** Whether bytes that are not UTF-8 were replaced by U+FFFD. */
  readonly repaired: boolean;
  /** Last change of the file, in Unix seconds. */
  readonly changedAt: number;
}

/**
 * Reads the beginning of a text file; see {@link readFile}.
 *
 * @param options.force reads it as text even if it looks binary
 * @param options.limit bytes to read at most
 */
export async function readTextFile(
  realPath: string,
  options: { readonly force?: boolean; readonly limit?: number; readonly admit?: Admit | undefined } = {},
): Promise<FileText | 'binary' | 'special'> {
  const { force = false, limit = MAX_FILE_BYTES, admit } = options;
  const file = await readFile(realPath, { most: limit, cuts: true, skipsBinary: !force, admit });
  return typeof file === 'string' ? (file as 'binary' | 'special') : textOf(file, { force: true, limit });
}

/** The text of a file that was read: UTF-8, or UTF-16 with a byte order mark. */
export function textOf(
  { bytes, cut, changedAt }: ReadFile,
  { force = false, limit = MAX_FILE_BYTES }: { readonly force?: boolean; readonly limit?: number } = {},
): FileText | 'binary' {
  if (!force && isBinary(bytes)) return 'binary';
  const isCut = cut || bytes.length > limit;
  return { ...decode(bytes, limit), bytes: Math.min(bytes.length, limit), cut: isCut, changedAt };
}

const HEAD_BYTES = 8 * 1024;

/** With a larger share of undecodable and control characters in its head, a file counts as binary. */
const BINARY_SHARE = 0.2;

/** Whether the head of a file contains NUL, or too many characters that do not belong into a text. */
function isBinary(bytes: Buffer): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (utf16(head) !== undefined) return false;
  if (head.includes(0)) return true;

  const end = bytes.length <= HEAD_BYTES ? head.length : utf8Boundary(head, HEAD_BYTES - 1);
  const text = head.toString('utf8', 0, end);
  const strange = text.match(/[\ufffd\x7f\0-\x07\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return strange > text.length * BINARY_SHARE;
}

function decode(bytes: Buffer, limit: number): { text: string; repaired: boolean } {
  const encoding = utf16(bytes);
  if (encoding !== undefined) {
    const decoded = new TextDecoder(encoding).decode(bytes.subarray(0, limit - (limit % 2)));
    const text = bytes.length > limit ? decoded.replace(/[\p{Surrogate}\ufffd]$/u, '') : decoded;
    return { text, repaired: text.includes('\ufffd') };
  }
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const whole = bytes.subarray(marked ? 3 : 0, utf8Boundary(bytes, limit));
  return { text: whole.toString('utf8'), repaired: !isUtf8(whole) };
}

function utf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** The entries of a folder, in code-point order of their names. */
export async function listFolder(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.sort((a, b) => compareCodePoints(a.name, b.name));
}

/** What an entry of a folder is; a link is `other`. */
export function kindOf(entry: Dirent): 'folder' | 'file' | 'other' {
  return entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
}
