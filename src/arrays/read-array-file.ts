import { closeSync, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  type ArrayFileIdentity,
  BLOCK_BYTES,
  bytesOfSection,
  type ReadHeader,
  type Section,
} from './array-file-header.js';
import { type ArrayTree, arrayOver, treeOf } from './array-tree.js';
import { openArrayFile } from './open-array-file.js';

/** Bytes read and checked between two turns of the event loop: about a millisecond. */
const BYTES_PER_TURN = 1 << 20;

const read = promisify(readCallback);

export interface ReadArrayFileOptions {
  /** Which arrays to keep, by their paths. @default all */
  readonly keeps?: (path: string) => boolean;
  /** Whether the arrays are put into memory that threads can share. @default false */
  readonly shared?: boolean;
}

/**
 * Reads an array file from its beginning to its end and checks all of it, also the arrays that are not kept. Gives way
 * to the event loop in between.
 *
 * @returns the numbers and the arrays that are kept; undefined if there is no file, or it is damaged anywhere, or has
 *   another version, kind or origin
 */
export async function readArrayFile(
  path: string,
  expected: ArrayFileIdentity,
  { keeps = () => true, shared = false }: ReadArrayFileOptions = {},
): Promise<ArrayTree | undefined> {
  const opened = openArrayFile(path, expected);
  if (opened === undefined) return undefined;
  const { file, header } = opened;
  try {
    const kept = keptSections(header, keeps, shared);
    const isWhole = await readChecked(file, header, kept);
    return isWhole ? treeOf([...header.numbers, ...kept.map(arrayIn)]) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether a file has a kind and an origin, and is whole. Reads all of it. */
export async function isCurrentArrayFile(path: string, expected: ArrayFileIdentity): Promise<boolean> {
  return (await readArrayFile(path, expected, { keeps: () => false })) !== undefined;
}

interface KeptSection {
  readonly section: Section;
  /** Offset of the section among the bytes of all arrays. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

function keptSections(
  { sections }: ReadHeader,
  keeps: (path: string) => boolean,
  shared: boolean,
): readonly KeptSection[] {
  const kept: KeptSection[] = [];
  let start = 0;
  for (const section of sections) {
    const size = bytesOfSection(section);
    if (keeps(section.path)) {
      const bytes = new Uint8Array(shared ? new SharedArrayBuffer(size) : new ArrayBuffer(size));
      kept.push({ section, start, bytes });
    }
    start += size;
  }
  return kept;
}

function arrayIn({ section: { path, type, length }, bytes }: KeptSection) {
  return { path, value: arrayOver(type, bytes.buffer, 0, length) };
}

/** @returns whether all checksums are right */
async function readChecked(
  file: number,
  { checksums, dataStart, dataBytes }: ReadHeader,
  kept: readonly KeptSection[],
): Promise<boolean> {
  const piece = Buffer.alloc(Math.min(BYTES_PER_TURN, dataBytes));
  for (let start = 0; start < dataBytes; start += piece.length) {
    const length = Math.min(piece.length, dataBytes - start);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await read(file, piece, at, length - at, dataStart + start + at);
      if (bytesRead === 0) return false;
      at += bytesRead;
    }
    for (let at = 0; at < length; at += BLOCK_BYTES) {
      const block = piece.subarray(at, Math.min(at + BLOCK_BYTES, length));
      if (crc32(block) !== checksums[(start + at) / BLOCK_BYTES]) return false;
    }
    for (const section of kept) copyOverlap(piece.subarray(0, length), start, section);
  }
  return true;
}

/** Copies the part of a piece that belongs to a section. */
function copyOverlap(piece: Uint8Array, pieceStart: number, { start, bytes }: KeptSection): void {
  const from = Math.max(pieceStart, start);
  const to = Math.min(pieceStart + piece.length, start + bytes.length);
  if (from < to) bytes.set(piece.subarray(from - pieceStart, to - pieceStart), from - start);
}
