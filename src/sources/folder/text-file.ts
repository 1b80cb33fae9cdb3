import { Buffer, isUtf8 } from 'node:buffer';
import { closeSync, read as readFile } from 'node:fs';
import { promisify } from 'node:util';
import { MAX_FILE_BYTES } from '../../core/index.js';
import { utf8Boundary } from '../rows/clean-text.js';
import type { Admit } from './ahead-allowance.js';
import { changedAtOf } from './file-state.js';
import { openInPlace } from './open-in-place.js';
import type { WholeFile } from './whole-file.js';

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
