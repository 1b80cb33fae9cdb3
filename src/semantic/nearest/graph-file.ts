import { type FileHandle, open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { lowerBound } from '../../core/index.js';

/**
 * Layout of a file of hnswlib (`saveIndex` in its hnswalg.h) on a machine of 64 bits, little-endian:
 *
 *     0    offset of the elements, uint64: 0
 *     8    number of elements that there is room for, uint64
 *     16   number of elements, uint64
 *     24   bytes of an element, uint64
 *     32   where in an element its label is, uint64
 *     40   where in an element its vector is, uint64
 *     48   highest level, int32
 *     52   element that a search begins with, uint32
 *     56   most links of an element on a higher level, uint64
 *     64   most links of an element on the lowest level, uint64
 *     72   the parameter M, uint64
 *     80   factor for drawing levels, float64: 1 / ln M
 *     88   the parameter efConstruction, uint64
 *     96   the elements: number of links, uint16; 1 if deleted, uint8; 0; links, uint32 each; vector, float32 each;
 *          label, uint64
 *          for each element: bytes of its higher levels, uint32; for each of these levels the number of links, uint16;
 *          0, uint16; links, uint32 each
 */
const HEADER_BYTES = 96;

/** Bytes read and checked between two turns of the event loop: about a millisecond. */
const BYTES_PER_TURN = 1 << 20;

/**
 * Parameters of hnswlib: `M` and `efConstruction`. Measured over 94,254 skills and 300 questions with 100 candidates:
 * recall@10 .9947 by one graph, .9943 by two. With an `efConstruction` of 150 one graph has .9967 and takes half as
 * long again to build. With an `M` of 16 two graphs have .9913 and are built hardly faster. A graph of other parameters
 * is built anew.
 */
export const EDGES = 20;
export const BUILD_BREADTH = 100;

/** Size and checksum of a file, which show whether it is whole. */
export interface Checksum {
  /** In bytes. */
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
}

/** Reads so many of the next bytes of a file. */
type ReadNext = (length: number) => Promise<DataView>;

/**
 * The checksum of a file that is a graph over these vectors, of which every link and every label lies inside.
 *
 * hnswlib follows the links of a file without a look. One that leads outside ends the process. A checksum does not keep
 * that from happening: a program that can write the graph can write its checksum, too, and a disk that is full may have
 * cut the file off before its checksum was taken.
 *
 * @returns undefined if there is no file, it cannot be read, or it is no such graph
 */
export async function checkGraphFile(
  path: string,
  keys: Float64Array,
  dimensions: number,
): Promise<Checksum | undefined> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe could wait forever.
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    file = await open(path);
    const opened = file;
    let [at, crc] = [0, 0];
    const next: ReadNext = async (length) => {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await opened.read(bytes, done, Math.min(BYTES_PER_TURN, length - done), at);
        if (bytesRead === 0) throw new Error('the file is too short');
        crc = crc32(bytes.subarray(done, done + bytesRead), crc);
        done += bytesRead;
        at += bytesRead;
      }
      return new DataView(bytes.buffer);
    };
    return (await isGraph(next, found.size, keys, dimensions)) ? { size: found.size, crc } : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

async function isGraph(next: ReadNext, size: number, keys: Float64Array, dimensions: number): Promise<boolean> {
  const header = await next(HEADER_BYTES);
  const sizeAt = (offset: number): number => Number(header.getBigUint64(offset, true));
  const [room, count] = [sizeAt(8), sizeAt(16)];
  const linkBytes = 4 + 8 * EDGES;
  const elementBytes = linkBytes + 4 * dimensions + 8;
  const highest = header.getInt32(48, true);
  const start = header.getUint32(52, true);
  const isExpected =
    sizeAt(0) === 0 &&
    sizeAt(24) === elementBytes &&
    sizeAt(32) === elementBytes - 8 &&
    sizeAt(40) === linkBytes &&
    sizeAt(56) === EDGES &&
    sizeAt(64) === 2 * EDGES &&
    sizeAt(72) === EDGES &&
    Math.abs(header.getFloat64(80, true) - 1 / Math.log(EDGES)) < 1e-12 &&
    sizeAt(88) === BUILD_BREADTH;
  // A graph is built again long before half of it is deleted.
  const isPossible =
    count >= 1 && count >= keys.length && count <= 2 * keys.length && room >= count && room <= 2 * count;
  if (!isExpected || !isPossible || highest < 0 || start >= count) return false;
  const tailBytes = size - HEADER_BYTES - count * elementBytes;
  // Each element has its level, and a twentieth of them a higher one.
  if (tailBytes < count * 4 || tailBytes > count * (8 + 4 * EDGES)) return false;
  if (!(await areElements(next, count, elementBytes, keys))) return false;
  return hasLevels(new Uint32Array((await next(tailBytes)).buffer), count, highest, start);
}

/**
 * Whether the links of all elements on the lowest level lead to elements, and their labels are the keys, each once, but
 * for those that are deleted.
 */
async function areElements(next: ReadNext, count: number, elementBytes: number, keys: Float64Array): Promise<boolean> {
  const found = new Uint8Array(keys.length);
  const deleted = new Set<number>();
  const wordsEach = elementBytes / 4;
  const atOnce = Math.max(1, Math.floor(BYTES_PER_TURN / elementBytes));
  for (let first = 0; first < count; first += atOnce) {
    const words = new Uint32Array((await next(Math.min(atOnce, count - first) * elementBytes)).buffer);
    for (let at = 0; at < words.length; at += wordsEach) {
      const links = words[at]! & 0xffff;
      const mark = words[at]! >>> 16;
      if (links > 2 * EDGES || mark > 1 || words[at + wordsEach - 1] !== 0) return false;
      for (let link = at + 1; link <= at + links; link++) if (words[link]! >= count) return false;
      const label = words[at + wordsEach - 2]!;
      const place = lowerBound(keys, label);
      const isKey = keys[place] === label;
      if (isKey === (mark === 1) || (isKey ? found[place] === 1 : deleted.has(label))) return false;
      if (isKey) found[place] = 1;
      else deleted.add(label);
    }
  }
  return found.every((is) => is === 1);
}

/** Whether every link of a higher level leads to an element that is on that level, too. */
function hasLevels(words: Uint32Array, count: number, highest: number, start: number): boolean {
  const wordsEach = 1 + EDGES;
  const levels = new Uint32Array(count);
  let at = 0;
  for (let element = 0; element < count; element++) {
    const level = words[at++]! / (4 * wordsEach);
    if (!Number.isInteger(level) || level > highest || at + level * wordsEach > words.length) return false;
    levels[element] = level;
    at += level * wordsEach;
  }
  // A search goes down from the highest level, where it begins.
  if (at !== words.length || levels[start] !== highest) return false;
  at = 0;
  for (let element = 0; element < count; element++) {
    at += 1;
    for (let level = 1; level <= levels[element]!; level++, at += wordsEach) {
      const links = words[at]!;
      if (links > EDGES) return false;
      for (let link = at + 1; link <= at + links; link++) if (!(levels[words[link]!]! >= level)) return false;
    }
  }
  return true;
}
