import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type ArrayFileIdentity, BLOCK_BYTES, encodeHeader, sectionsOf } from './array-file-header.js';
import { arraysOf, type NumberArray, numbersOf } from './array-tree.js';
import { LITTLE_ENDIAN, paddingTo8 } from './byte-order.js';

/** Path of a file while it is written. */
export function partOf(path: string): string {
  return `${path}-part`;
}

/**
 * Writes a tree of arrays and numbers to {@link partOf} of a path, and renames that file when it is complete. Does
 * nothing on a machine that is not little-endian: there the file could not be read.
 *
 * @throws Error of the file system; a file that was there before is left as it was
 */
export function writeArrayFile(path: string, identity: ArrayFileIdentity, tree: object): void {
  if (!LITTLE_ENDIAN) return;
  try {
    writeArrayFilePart(path, identity, tree);
    renameSync(partOf(path), path);
  } catch (error) {
    rmSync(partOf(path), { force: true });
    throw error;
  }
}

/** The first half of {@link writeArrayFile}: writes and syncs the file of {@link partOf}. The caller renames it. */
export function writeArrayFilePart(path: string, { kind, origin }: ArrayFileIdentity, tree: object): void {
  const leaves = arraysOf(tree);
  const pieces = leaves.flatMap(({ value }) => paddedBytesOf(value));
  const header = { kind, origin, numbers: numbersOf(tree), sections: sectionsOf(leaves) };
  writeSynced(partOf(path), [encodeHeader(header, checksumsOf(pieces)), ...pieces]);
}

/** The bytes of an array, and the zeros behind it. */
function paddedBytesOf(array: NumberArray): Uint8Array[] {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return [bytes, new Uint8Array(paddingTo8(bytes.length))];
}

/** CRC-32 of each block of the concatenated pieces. */
function checksumsOf(pieces: readonly Uint8Array[]): Uint32Array {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const checksums = new Uint32Array(Math.ceil(total / BLOCK_BYTES));
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const block = Math.floor(at / BLOCK_BYTES);
      const to = Math.min(piece.length, from + (block + 1) * BLOCK_BYTES - at);
      checksums[block] = crc32(piece.subarray(from, to), checksums[block]);
      at += to - from;
      from = to;
    }
  }
  return checksums;
}

function writeSynced(path: string, pieces: readonly Uint8Array[]): void {
  const file = openSync(path, 'w');
  try {
    for (const bytes of pieces) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
