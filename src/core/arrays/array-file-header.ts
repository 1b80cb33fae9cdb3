import { crc32 } from 'node:zlib';
import {
  type ArrayType,
  arrayTypeOf,
  bytesPerElement,
  isArrayType,
  isPath,
  type Leaf,
  type NumberArray,
} from './array-tree.js';
import { paddingTo8 } from './byte-order.js';

/**
 * Layout of an array file, all numbers little-endian:
 *
 *     0   magic, 8 bytes
 *     8   format version, uint32
 *     12  length of the header, uint32
 *     16  header: JSON, then blanks, so that the arrays begin at a multiple of 8
 *         CRC-32 of every block of the arrays, uint32 each
 *         CRC-32 of everything before, uint32
 *         the arrays that the header lists, each followed by zeros up to a multiple of 8
 */
const MAGIC = 'SKILARRY';
/** Raise it also if the arrays that are written get another meaning. */
const VERSION = 6;
/** Bytes before the header. */
const HEAD_BYTES = 16;

/** Most bytes of a header: many times what one needs. More would be a made-up file, which could ask for any memory. */
const MAX_HEADER_BYTES = 1 << 20;

/** Bytes of the arrays that share a checksum and are read together. */
export const BLOCK_BYTES: number = 1 << 16;

/** What an array file holds, and what it was made from. A reader rejects a file that differs from what it expects. */
export interface ArrayFileIdentity {
  /** What the file holds. */
  readonly kind: 'keywords' | 'vectors';
  /** What the arrays were made from, and by which rules: the stamp of a state, the id of a model, a version. */
  readonly origin: Readonly<Record<string, string | number>>;
}

/** An array of the file. */
export interface Section {
  /** Its path in the tree: `postings.documents`. */
  readonly path: string;
  readonly type: ArrayType;
  /** In elements. */
  readonly length: number;
}

/** The header of an array file. */
export interface ArrayFileHeader extends ArrayFileIdentity {
  /** The single numbers of the tree. */
  readonly numbers: readonly Leaf<number>[];
  readonly sections: readonly Section[];
}

/** A header that was read from a file and checked. */
export interface ReadHeader extends ArrayFileHeader {
  /** CRC-32 of each block. */
  readonly checksums: Uint32Array;
  /** Offset of the first array in the file. */
  readonly dataStart: number;
  /** Bytes of all arrays together, with the zeros between them. */
  readonly dataBytes: number;
}

/** The sections of some arrays, in the same order. */
export function sectionsOf(leaves: readonly Leaf<NumberArray>[]): Section[] {
  return leaves.map(({ path, value }) => ({ path, type: arrayTypeOf(value), length: value.length }));
}

/** Bytes of a section, with the zeros behind it. */
export function bytesOfSection({ type, length }: Section): number {
  const bytes = length * bytesPerElement(type);
  return bytes + paddingTo8(bytes);
}

/** Everything before the arrays. */
export function encodeHeader(header: ArrayFileHeader, checksums: Uint32Array): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const checksumBytes = checksums.byteLength + 4;
  const headerBytes = json.length + paddingTo8(HEAD_BYTES + json.length + checksumBytes);
  const checksumStart = HEAD_BYTES + headerBytes;
  const bytes = Buffer.alloc(checksumStart + checksumBytes, ' ');
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(headerBytes, 12);
  json.copy(bytes, HEAD_BYTES);
  for (const [block, checksum] of checksums.entries()) bytes.writeUInt32LE(checksum, checksumStart + block * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/**
 * Reads and checks everything before the arrays.
 *
 * @param read gives the bytes of the file between two offsets, fewer if the file ends before
 * @param fileBytes size of the file
 * @returns undefined if the file is damaged, cut off or has another version
 */
export function decodeHeader(read: (from: number, to: number) => Buffer, fileBytes: number): ReadHeader | undefined {
  const head = read(0, HEAD_BYTES);
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) {
    return undefined;
  }
  const headerEnd = HEAD_BYTES + head.readUInt32LE(12);
  if (headerEnd > Math.min(fileBytes, HEAD_BYTES + MAX_HEADER_BYTES)) return undefined;
  const json = read(HEAD_BYTES, headerEnd);
  const header = parseHeader(json.toString());
  if (header === undefined) return undefined;
  const dataBytes = header.sections.reduce((sum, section) => sum + bytesOfSection(section), 0);
  const blockCount = Math.ceil(dataBytes / BLOCK_BYTES);
  const dataStart = headerEnd + blockCount * 4 + 4;
  if (dataStart + dataBytes !== fileBytes) return undefined;
  const sums = read(headerEnd, dataStart);
  if (crc32(sums.subarray(0, -4), crc32(json, crc32(head))) !== sums.readUInt32LE(sums.length - 4)) return undefined;
  const checksums = Uint32Array.from({ length: blockCount }, (_, block) => sums.readUInt32LE(block * 4));
  return { ...header, checksums, dataStart, dataBytes };
}

/** Whether a file has the kind and the origin that a reader expects. Its origin may say more than that. */
export function hasIdentity(header: ArrayFileIdentity, { kind, origin }: ArrayFileIdentity): boolean {
  return header.kind === kind && Object.entries(origin).every(([name, value]) => header.origin[name] === value);
}

/** Damaged text may be no JSON, or JSON of another shape. */
function parseHeader(text: string): ArrayFileHeader | undefined {
  try {
    const header = JSON.parse(text) as ArrayFileHeader;
    const { origin, numbers, sections } = header;
    const isSection = ({ path, type, length }: Section): boolean =>
      isPath(path) && isArrayType(type) && Number.isSafeInteger(length) && length >= 0;
    const isNumber = ({ path, value }: Leaf<number>): boolean => isPath(path) && typeof value === 'number';
    const isHeader = typeof origin === 'object' && numbers.every(isNumber) && sections.every(isSection);
    return isHeader ? header : undefined;
  } catch {
    return undefined;
  }
}
