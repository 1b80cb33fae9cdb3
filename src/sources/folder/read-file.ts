import { Buffer, isUtf8 } from 'node:buffer';
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  open,
  read as readFile,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { compareCodePoints, MAX_FILE_BYTES } from '../../core/index.js';
import { utf8Boundary } from '../rows/texts.js';

const read = promisify(readFile);

/** The content of a file. */
export type FileText =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Bytes read. */
      readonly bytes: number;
      /** Whether the file is longer than the text. */
      readonly cut: boolean;
      /** Whether bytes that are not UTF-8 were replaced by U+FFFD. */
      readonly repaired: boolean;
      /** Last change of the file, in Unix seconds. */
      readonly changedAt: number;
    }
  | { readonly kind: 'binary' }
  /** Not a regular file: a pipe, a socket, a device. */
  | { readonly kind: 'special' };

interface ReadTextOptions {
  readonly force?: boolean;
  readonly limit?: number;
  readonly admit?: Admit | undefined;
}

const HEAD_BYTES = 8 * 1024;

/** With a larger share of undecodable and control characters in its head, a file counts as binary. */
const BINARY_SHARE = 0.2;

/**
 * Reads the beginning of a text file: UTF-8, or UTF-16 with a byte order mark. Only what is still the file of that
 * path.
 *
 * @param options.force reads it as text even if it looks binary
 * @param options.limit bytes to read at most
 * @param options.admit asked before its head is read, and before the rest
 * @throws as {@link openInPlace}, and the file system's error if the file cannot be read
 */
export async function readTextFile(
  realPath: string,
  { force = false, limit = MAX_FILE_BYTES, admit }: ReadTextOptions = {},
): Promise<FileText> {
  const { file, found } = await openInPlace(realPath);
  try {
    if (!found.isFile()) return { kind: 'special' };

    // One more than the limit, to see whether the file is longer.
    const wanted = Math.min(Number(found.size), limit) + 1;
    const bytes = Buffer.allocUnsafeSlow(wanted);
    let length = 0;
    // The head shows whether the file is binary. Then the rest is not read.
    for (const target of [Math.min(HEAD_BYTES, wanted), wanted]) {
      await admit?.(target - length);
      while (length < target) {
        const { bytesRead } = await read(file, bytes, length, target - length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (!force && isBinary(bytes.subarray(0, Math.min(length, HEAD_BYTES)), length < target)) {
        return { kind: 'binary' };
      }
    }

    const cut = length > limit;
    const decoded = decode(bytes.subarray(0, length), limit);
    return { kind: 'text', ...decoded, bytes: Math.min(length, limit), cut, changedAt: changedAtOf(found) };
  } finally {
    closeSync(file);
  }
}

/** The text of a file that was read already; as {@link readTextFile}. */
export function textOfFile(
  { bytes, changedAt }: WholeFile,
  { force = false }: { readonly force?: boolean } = {},
): FileText {
  if (!force && isBinary(bytes.subarray(0, HEAD_BYTES), bytes.length < HEAD_BYTES)) return { kind: 'binary' };
  const limit = MAX_FILE_BYTES;
  const decoded = decode(bytes, limit);
  return { kind: 'text', ...decoded, bytes: Math.min(bytes.length, limit), cut: bytes.length > limit, changedAt };
}

/** Whether the head of a file contains NUL, or too many characters that do not belong into a text. */
function isBinary(head: Buffer, complete: boolean): boolean {
  if (utf16(head) !== undefined) return false;
  if (head.includes(0)) return true;

  const text = head.toString('utf8', 0, complete ? head.length : utf8Boundary(head, head.length - 1));
  let strange = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd || unit === 0x7f || (unit < 0x20 && !(unit >= 0x08 && unit <= 0x0d) && unit !== 0x1b))
      strange++;
  }
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
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

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

const openFile: (path: string, flags: number) => Promise<number> = promisify(open);

/** An open file, for whoever closes it. */
interface OpenFile {
  readonly file: number;
  /** What the system said of it when it was opened. */
  readonly found: BigIntStats;
}

// No links: the path was resolved before, so a link must have been put there since. Non-blocking, because opening a
// pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens what is still the file of that path: no folder above it may have become a link meanwhile.
 *
 * @param realPath absolute, without symbolic links
 * @throws the file system's error if it cannot be opened, and an error if a link has taken its place
 */
async function openInPlace(realPath: string): Promise<OpenFile> {
  const file = await openFile(realPath, OPEN_FLAGS);
  // Of an open file the system knows the rest without waiting for the disk.
  try {
    const found = fstatSync(file, { bigint: true });
    if (!isStillAt(file, found, realPath)) throw new Error('replaced by a link while it was read');
    return { file, found };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Whether an open file lies where it was opened, and not behind a link. */
function isStillAt(file: number, { ino, dev }: BigIntStats, realPath: string): boolean {
  if (process.platform === 'linux') {
    // What the system says of the open file itself: nothing can change in between.
    const path = pathOf(file);
    if (path !== undefined) return path === realPath;
  }
  const found = lstatSync(realPath, { bigint: true });
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
 * Milliseconds for which something must not have changed before it is read. Two changes within a tick of the system's
 * clock, up to 10 ms, have the same time, so the second would not show.
 */
export const SETTLED_MS = 20;

/** Whether something did not change just now. Of one from the future, whose clock is another, nobody knows. */
export function hasRest({ ctimeMs }: BigIntStats): boolean {
  return Math.abs(Date.now() - Number(ctimeMs)) >= SETTLED_MS;
}

/** The last change of the content of a file, in Unix seconds. */
function changedAtOf({ mtimeMs }: BigIntStats): number {
  return Math.max(0, Math.floor(Number(mtimeMs) / 1000));
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

/** Is told how many bytes are going to be read, and may put it off. */
export type Admit = (bytes: number) => Promise<void> | undefined;

/**
 * What may be read of an item before its turn. Whoever needs more waits with what he has, so that nothing is read
 * twice.
 */
export class AheadAllowance {
  #left: number;
  readonly #turn: Promise<void>;

  /** @param turn see {@link readAhead} */
  constructor(bytes: number, turn: Promise<void>) {
    this.#left = bytes;
    this.#turn = turn;
  }

  readonly admit: Admit = (bytes) => {
    this.#left -= bytes;
    return this.#left < 0 ? this.#turn : undefined;
  };
}

/** The entries of a folder, in code-point order of their names. */
export async function listFolder(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.sort((a, b) => compareCodePoints(a.name, b.name));
}

/** {@link listFolder}, that asks the system for each folder once. */
export function listOnce(): typeof listFolder {
  const listed = new Map<string, Promise<Dirent[]>>();
  return (path) => {
    const entries = listed.get(path) ?? listFolder(path);
    listed.set(path, entries);
    return entries;
  };
}

/** Whether a folder with this name is left out of every walk. */
export function isNeverEntered(name: string): boolean {
  return name === '.git' || name === 'node_modules';
}
