import { isUtf8 } from 'node:buffer';

/** A part of a file. */
export interface FilePart {
  readonly bytes: Buffer;
  /** Whether the whole file is UTF-8, so that each part is a text: none ends within a character. */
  readonly isText: boolean;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Where the next part begins, in bytes; undefined if this is the last one. */
  readonly next: number | undefined;
}

/**
 * A part of a file, without a copy. Of a part only as much is decoded and encoded as it has: a file of 16 MiB in one
 * piece would keep all others waiting.
 *
 * @param offset in bytes. One within a character of a text stands for the beginning of that character
 * @param most bytes of the part; at least those of one character
 */
export function partOf(file: Uint8Array, offset: number, most: number): FilePart {
  const { buffer, byteOffset, length: size } = file;
  const whole = Buffer.from(buffer, byteOffset, size);
  const isText = isUtf8(whole);
  const [start, end] = [offset, offset + most].map((at) => (isText ? beginOfCharacter(whole, at) : at));
  return { bytes: whole.subarray(start, end), isText, size, next: end! < size ? end : undefined };
}

function beginOfCharacter(text: Buffer, offset: number): number {
  let at = offset;
  // Bytes that continue a character are 10xxxxxx.
  while ((text[at]! & 0xc0) === 0x80) at -= 1;
  return at;
}
