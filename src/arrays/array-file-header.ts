import { crc32 } from 'node:zlib';
import type { Leaf, NumberArray } from './array-tree.js';

/**
 * Layout of an image, all numbers little-endian:
 *
 *     0   magic, 8 bytes
 *     8   format version, uint32
 *     12  length of the header, uint32
 *     16  header, JSON, blanks at its end
 *         CRC-32 of every block of the arrays, uint32 each
 *         CRC-32 of everything before, uint32
 *         zeros up to a multiple of 8
 *         the arrays that the header lists, each up to a multiple of 8
 */
const MAGIC = 'SKILIMAG';
/** To be raised also where the arrays that are written mean something else than before. */
const VERSION = 5;
/** Bytes that tell how long the header is. */
const HEAD_BYTES = 16;

/** Bytes of the arrays that have a checksum in common, and are read together. */
export const BLOCK_BYTES: number = 1 << 16;

const ARRAYS: {
  readonly Uint8Array: Uint8ArrayConstructor;
  readonly Uint32Array: Uint32ArrayConstructor;
  readonly Float64Array: Float64ArrayConstructor;
} = { Uint8Array, Uint32Array, Float64Array };

/** An array of the file. */
interface Section {
  /** Where it belongs: `postings.documents`. */
  readonly path: string;
  readonly array: keyof typeof ARRAYS;
  /** In elements. */
  readonly length: number;
}

/** What an image says of itself. */
export interface ImageHeader {
  /** Of the catalogue that the image was made of. */
  readonly stamp: string;
  readonly numbers: readonly Leaf<number>[];
  readonly sections: readonly Section[];
}

/** A header that was read. */
export interface ReadHeader extends ImageHeader {
  /** CRC-32 by block. */
  readonly checksums: Uint32Array;
  /** Where in the file the arrays begin. */
  readonly dataStart: number;
  /** Of all arrays together. */
  readonly dataBytes: number;
}

/** The sections of some arrays, which follow one another in the same order. */
export function sectionsOf(leaves: readonly Leaf<NumberArray>[]): Section[] {
  return leaves.map(({ path, value }) => ({
    path,
    array: kindOf(value),
    length: value.length,
  }));
}

function kindOf(value: NumberArray): Section['array'] {
  if (value instanceof Uint32Array) return 'Uint32Array';
  return value instanceof Float64Array ? 'Float64Array' : 'Uint8Array';
}

/** Everything that stands before the arrays. */
export function encodeHeader(header: ImageHeader, checksums: Uint32Array): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const headerBytes = text.length + padding(text.length);
  const end = HEAD_BYTES + headerBytes + checksums.byteLength + 4;
  const bytes = Buffer.alloc(end + padding(end), ' ');
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(headerBytes, 12);
  text.copy(bytes, HEAD_BYTES);
  for (let i = 0; i < checksums.length; i++) bytes.writeUInt32LE(checksums[i]!, HEAD_BYTES + headerBytes + i * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end - 4)), end - 4);
  bytes.fill(0, end);
  return bytes;
}

/**
 * @param read gives bytes of the file, fewer where it ends
 * @param fileBytes how long the file is
 * @returns undefined where it is damaged, cut off or of another version
 */
export function decodeHeader(read: (from: number, to: number) => Buffer, fileBytes: number): ReadHeader | undefined {
  const head = read(0, HEAD_BYTES);
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) {
    return undefined;
  }
  const headerEnd = HEAD_BYTES + head.readUInt32LE(12);
  if (headerEnd > fileBytes) return undefined;
  const text = read(HEAD_BYTES, headerEnd);
  const header = parse(text.toString());
  if (header === undefined) return undefined;
  const dataBytes = header.sections.reduce((sum, section) => sum + paddedBytes(section), 0);
  const blocks = Math.ceil(dataBytes / BLOCK_BYTES);
  const end = headerEnd + blocks * 4 + 4;
  const dataStart = end + padding(end);
  if (dataStart + dataBytes !== fileBytes) return undefined;
  const rest = read(headerEnd, end);
  if (crc32(rest.subarray(0, -4), crc32(text, crc32(head))) !== rest.readUInt32LE(rest.length - 4)) return undefined;
  const checksums = new Uint32Array(blocks);
  new Uint8Array(checksums.buffer).set(rest.subarray(0, blocks * 4));
  return { ...header, checksums, dataStart, dataBytes };
}

/** Damaged text may be no JSON, or of another shape. */
function parse(text: string): ImageHeader | undefined {
  try {
    const header = JSON.parse(text) as ImageHeader;
    return header.sections.every(({ array, length }) => array in ARRAYS && Number.isInteger(length))
      ? header
      : undefined;
  } catch {
    return undefined;
  }
}

/** The arrays over the memory that the file's are read into. */
export function viewsOf(sections: readonly Section[], buffer: ArrayBuffer): Leaf<NumberArray>[] {
  let at = 0;
  return sections.map((section) => {
    const value = new ARRAYS[section.array](buffer, at, section.length);
    at += paddedBytes(section);
    return { path: section.path, value };
  });
}

function paddedBytes({ array, length }: Section): number {
  const bytes = length * ARRAYS[array].BYTES_PER_ELEMENT;
  return bytes + padding(bytes);
}

/** Bytes up to the next multiple of 8. */
export function padding(bytes: number): number {
  return (8 - (bytes % 8)) % 8;
}
