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

/** What a graph must be over, and how it must have been built. */
export interface ExpectedGraph {
  /** Labels of the elements that are not deleted, ascending. */
  readonly keys: Float64Array;
  readonly dimensions: number;
  /** The parameter M. */
  readonly edges: number;
  /** The parameter efConstruction. */
  readonly breadth: number;
}

/** Size and checksum of a file, which show whether it is whole. */
export interface Checksum {
  /** In bytes. */
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
}

/**
 * The checksum of a file that is a graph over these vectors, of which every link and every label lies inside.
 *
 * hnswlib follows the links of a file without a look. One that leads outside ends the process. A checksum does not keep
 * that from happening: a program that can write the graph can write its checksum, too, and a disk that is full may have
 * cut the file off before its checksum was taken.
 *
 * @returns undefined if there is no file, it cannot be read, or it is no such graph
 */
export async function checkGraphFile(path: string, expected: ExpectedGraph): Promise<Checksum | undefined> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe could wait forever.
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    file = await open(path);
    const pieces = new PieceReader(file, found.size);
    return (await isGraph(pieces, found.size, expected)) ? { size: found.size, crc: pieces.crc } : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

async function isGraph(file: PieceReader, size: number, expected: ExpectedGraph): Promise<boolean> {
  const header = readHeader(await file.next(HEADER_BYTES), expected);
  if (header === undefined) return false;
  const { count, elementBytes, highest } = header;
  const tailBytes = size - HEADER_BYTES - count * elementBytes;
  // Each element has its level, and a twentieth of them a higher one.
  if (tailBytes < count * 4 || tailBytes > count * 4 + count * levelBytes(expected)) return false;

  const elements = new ElementCheck(count, elementBytes, expected);
  const atOnce = Math.max(1, Math.floor(BYTES_PER_TURN / elementBytes));
  for (let first = 0; first < count; first += atOnce) {
    const some = Math.min(atOnce, count - first);
    if (!elements.add(await file.next(some * elementBytes), some)) return false;
  }
  return elements.isComplete && hasLevels(await file.next(tailBytes), count, highest, header.start, expected);
}

interface GraphHeader {
  readonly count: number;
  readonly elementBytes: number;
  /** Highest level. */
  readonly highest: number;
  /** The element that a search begins with. */
  readonly start: number;
}

/** @returns undefined if the file was not built as expected */
function readHeader(bytes: DataView, { keys, dimensions, edges, breadth }: ExpectedGraph): GraphHeader | undefined {
  const sizeAt = (offset: number): number => Number(bytes.getBigUint64(offset, true));
  const [room, count] = [sizeAt(8), sizeAt(16)];
  const linkBytes = 4 + 8 * edges;
  const elementBytes = linkBytes + 4 * dimensions + 8;
  const highest = bytes.getInt32(48, true);
  const start = bytes.getUint32(52, true);
  const isExpected =
    sizeAt(0) === 0 &&
    sizeAt(24) === elementBytes &&
    sizeAt(32) === elementBytes - 8 &&
    sizeAt(40) === linkBytes &&
    sizeAt(56) === edges &&
    sizeAt(64) === 2 * edges &&
    sizeAt(72) === edges &&
    Math.abs(bytes.getFloat64(80, true) - 1 / Math.log(edges)) < 1e-12 &&
    sizeAt(88) === breadth;
  // A graph is built again long before half of it is deleted.
  const isPossible =
    count >= 1 && count >= keys.length && count <= 2 * keys.length && room >= count && room <= 2 * count;
  return isExpected && isPossible && highest >= 0 && start < count
    ? { count, elementBytes, highest, start }
    : undefined;
}

/** Checks the links and labels of the elements on the lowest level. */
class ElementCheck {
  readonly #count: number;
  readonly #elementBytes: number;
  readonly #keys: Float64Array;
  readonly #mostLinks: number;
  /** 1 for each key that an element has. */
  readonly #found: Uint8Array;
  #foundCount = 0;
  readonly #deleted = new Set<number>();

  constructor(count: number, elementBytes: number, { keys, edges }: ExpectedGraph) {
    this.#count = count;
    this.#elementBytes = elementBytes;
    this.#keys = keys;
    this.#mostLinks = 2 * edges;
    this.#found = new Uint8Array(keys.length);
  }

  /** Whether every key has an element. */
  get isComplete(): boolean {
    return this.#foundCount === this.#keys.length;
  }

  /** @returns whether the next elements are right */
  add(bytes: DataView, elements: number): boolean {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    const wordsEach = this.#elementBytes / 4;
    for (let element = 0, at = 0; element < elements; element++, at += wordsEach) {
      const links = words[at]! & 0xffff;
      const mark = words[at]! >>> 16;
      if (links > this.#mostLinks || mark > 1) return false;
      for (let link = at + 1; link <= at + links; link++) if (words[link]! >= this.#count) return false;
      if (words[at + wordsEach - 1] !== 0) return false;
      if (!this.#takesLabel(words[at + wordsEach - 2]!, mark === 1)) return false;
    }
    return true;
  }

  /** Each label must be there once, and those that are not deleted must be the keys. */
  #takesLabel(label: number, isDeleted: boolean): boolean {
    const place = lowerBound(this.#keys, label);
    const isKey = this.#keys[place] === label;
    if (isDeleted) {
      if (isKey || this.#deleted.has(label)) return false;
      this.#deleted.add(label);
      return true;
    }
    if (!isKey || this.#found[place] === 1) return false;
    this.#found[place] = 1;
    this.#foundCount += 1;
    return true;
  }
}

/** Whether every link of a higher level leads to an element that is on that level, too. */
function hasLevels(
  tail: DataView,
  count: number,
  highest: number,
  start: number,
  { edges }: Pick<ExpectedGraph, 'edges'>,
): boolean {
  const words = new Uint32Array(tail.buffer, tail.byteOffset, tail.byteLength / 4);
  const wordsEach = 1 + edges;
  const levels = new Uint32Array(count);
  let at = 0;
  for (let element = 0; element < count; element++) {
    const levelWords = words[at++]! / 4;
    if (!Number.isInteger(levelWords / wordsEach) || at + levelWords > words.length) return false;
    levels[element] = levelWords / wordsEach;
    if (levels[element]! > highest) return false;
    at += levelWords;
  }
  // A search goes down from the highest level, where it begins.
  if (at !== words.length || levels[start] !== highest) return false;
  at = 0;
  for (let element = 0; element < count; element++) {
    at += 1;
    for (let level = 1; level <= levels[element]!; level++, at += wordsEach) {
      const links = words[at]!;
      if (links > edges) return false;
      for (let link = at + 1; link <= at + links; link++) if (!(levels[words[link]!]! >= level)) return false;
    }
  }
  return true;
}

/** Bytes of the links of an element on one higher level. */
function levelBytes({ edges }: ExpectedGraph): number {
  return 4 + 4 * edges;
}

/** Reads a file from its beginning to its end, and takes its checksum. */
class PieceReader {
  readonly #file: FileHandle;
  readonly #size: number;
  #at = 0;
  /** CRC-32 of what was read so far. */
  crc = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** @throws Error if the file ends before */
  async next(length: number): Promise<DataView> {
    if (this.#at + length > this.#size) throw new Error('the file is too short');
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#file.read(
        bytes,
        done,
        Math.min(BYTES_PER_TURN, length - done),
        this.#at + done,
      );
      if (bytesRead === 0) throw new Error('the file is too short');
      this.crc = crc32(bytes.subarray(done, done + bytesRead), this.crc);
      done += bytesRead;
    }
    this.#at += length;
    return new DataView(bytes.buffer);
  }
}
