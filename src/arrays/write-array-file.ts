import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { arraysOf, type NumberArray, numbersOf } from './array-tree.js';
import { BLOCK_BYTES, encodeHeader, padding, sectionsOf } from './image-header.js';

/** Images are written and read as they lie in memory, which is the same on every machine that matters. */
export const LITTLE_ENDIAN: boolean = endianness() === 'LE';

/**
 * Writes a tree of arrays and numbers aside, and then in its place.
 *
 * @param stamp names the state of what it was made of
 * @throws Error of the file system; what stood there before is left then
 */
export function writeImage(path: string, stamp: string, tree: object): void {
  if (!LITTLE_ENDIAN) return;
  const leaves = arraysOf(tree);
  const pieces = leaves.flatMap(({ value }) => padded(value));
  const header = encodeHeader({ stamp, numbers: numbersOf(tree), sections: sectionsOf(leaves) }, checksumsOf(pieces));
  const part = `${path}-part`;
  try {
    writeSynced(part, [header, ...pieces]);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** The bytes of an array, and zeros up to a multiple of 8. */
function padded(array: NumberArray): Uint8Array[] {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return [bytes, new Uint8Array(padding(bytes.length))];
}

/** CRC-32 of each block of what the pieces are together. */
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
