import { closeSync, fstatSync, openSync, read as readCallback, readSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type ArrayTree, type NumberArray, treeOf } from './array-tree.js';
import { BLOCK_BYTES, decodeHeader, type ReadHeader, viewsOf } from './image-header.js';
import { LITTLE_ENDIAN } from './write-image.js';

/** An image that does not hold what was written, or cannot be read any more. */
export class DamagedImageError extends Error {
  override readonly name = 'DamagedImageError';
}

/** Says which part of an array is about to be looked at; from then on it is there. */
export interface Pager {
  /**
   * @param from first element
   * @param to behind the last element; up to the end if left out
   * @throws {DamagedImageError}
   */
  need(array: NumberArray, from?: number, to?: number): void;
}

/** For arrays that are in memory as a whole. */
export const ALL_IN_MEMORY: Pager = { need: () => {} };

/** Bytes read between two turns of the event loop. */
const READ_A_TURN = 1 << 23;

const read = promisify(readCallback);

/**
 * A file of arrays, of which only what is needed is read: all arrays are views of one piece of memory as long as the
 * file, which the system gives out page by page as it is written to. Every block is checked as it is read.
 */
export class PagedImage implements Pager {
  readonly tree: ArrayTree;
  readonly #path: string;
  readonly #file: number;
  readonly #header: ReadHeader;
  readonly #bytes: Uint8Array;
  /** By block, 1 where it was read. */
  readonly #present: Uint8Array;
  #closed = false;

  /**
   * @param stamp of the state that is meant; any will do where it is left out
   * @returns undefined where there is no such file, or it is damaged, of another version or of another state
   */
  static open(path: string, stamp?: string): PagedImage | undefined {
    const opened = LITTLE_ENDIAN ? openFile(path) : undefined;
    if (opened === undefined) return undefined;
    if (stamp === undefined || opened.header.stamp === stamp) return new PagedImage(path, opened.file, opened.header);
    closeSync(opened.file);
    return undefined;
  }

  private constructor(path: string, file: number, header: ReadHeader) {
    this.#path = path;
    this.#file = file;
    this.#header = header;
    const buffer = new ArrayBuffer(header.dataBytes);
    this.#bytes = new Uint8Array(buffer);
    this.#present = new Uint8Array(header.checksums.length);
    this.tree = treeOf([...header.numbers, ...viewsOf(header.sections, buffer)]);
  }

  need(array: NumberArray, from = 0, to: number = array.length): void {
    if (from >= to) return;
    const first = Math.floor((array.byteOffset + from * array.BYTES_PER_ELEMENT) / BLOCK_BYTES);
    const last = Math.floor((array.byteOffset + to * array.BYTES_PER_ELEMENT - 1) / BLOCK_BYTES);
    const present = this.#present;
    for (let block = first; block <= last; block++) {
      if (present[block] === 1) continue;
      let end = block + 1;
      while (end <= last && present[end] === 0) end += 1;
      this.#readBlocks(block, end);
      block = end;
    }
  }

  /** {@link need} for whole arrays, giving way to the event loop. */
  async load(arrays: readonly NumberArray[]): Promise<void> {
    for (const array of arrays) {
      if (array.length === 0) continue;
      const end = Math.ceil((array.byteOffset + array.byteLength) / BLOCK_BYTES);
      let block = Math.floor(array.byteOffset / BLOCK_BYTES);
      while (block < end) {
        const next = Math.min(end, block + READ_A_TURN / BLOCK_BYTES);
        if (this.#present.subarray(block, next).includes(0)) await this.#loadBlocks(block, next);
        block = next;
      }
    }
  }

  /** Lets go of the file. What was not read by then cannot be needed any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#file);
  }

  #readBlocks(from: number, to: number): void {
    if (this.#closed) throw new Error(`${this.#path} was closed`);
    const [start, end] = this.#rangeOf(from, to);
    for (let at = start; at < end; ) {
      let got: number;
      try {
        got = readSync(this.#file, this.#bytes, at, end - at, this.#header.dataStart + at);
      } catch (cause) {
        throw this.#damaged('cannot be read', cause);
      }
      if (got === 0) throw this.#damaged('is cut off');
      at += got;
    }
    this.#check(from, to);
  }

  async #loadBlocks(from: number, to: number): Promise<void> {
    const [start, end] = this.#rangeOf(from, to);
    for (let at = start; at < end; ) {
      const { bytesRead } = await read(this.#file, this.#bytes, at, end - at, this.#header.dataStart + at).catch(
        (cause: unknown) => {
          throw this.#damaged('cannot be read', cause);
        },
      );
      if (bytesRead === 0) throw this.#damaged('is cut off');
      at += bytesRead;
    }
    this.#check(from, to);
  }

  #rangeOf(from: number, to: number): [start: number, end: number] {
    return [from * BLOCK_BYTES, Math.min(to * BLOCK_BYTES, this.#bytes.length)];
  }

  #check(from: number, to: number): void {
    for (let block = from; block < to; block++) {
      const [start, end] = this.#rangeOf(block, block + 1);
      if (crc32(this.#bytes.subarray(start, end)) !== this.#header.checksums[block]) {
        throw this.#damaged(`has a wrong checksum in block ${block}`);
      }
      this.#present[block] = 1;
    }
  }

  #damaged(how: string, cause?: unknown): DamagedImageError {
    return new DamagedImageError(`${this.#path} ${how}`, { cause });
  }
}

/** Whether a file is an image of a state, and whole: all of it is read for that, piece by piece. */
export async function imageIsCurrent(path: string, stamp: string): Promise<boolean> {
  const opened = openFile(path);
  if (opened === undefined) return false;
  try {
    return opened.header.stamp === stamp && (await isWhole(opened.file, opened.header));
  } catch {
    return false;
  } finally {
    closeSync(opened.file);
  }
}

async function isWhole(file: number, { checksums, dataStart, dataBytes }: ReadHeader): Promise<boolean> {
  const piece = Buffer.alloc(Math.min(READ_A_TURN, dataBytes));
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
  }
  return true;
}

function openFile(path: string): { readonly file: number; readonly header: ReadHeader } | undefined {
  let file: number | undefined;
  try {
    // Anything else than a file could keep who opens it waiting for ever.
    if (!statSync(path).isFile()) return undefined;
    const opened = openSync(path, 'r');
    file = opened;
    const readPart = (from: number, to: number): Buffer => {
      const bytes = Buffer.alloc(to - from);
      return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from));
    };
    const header = decodeHeader(readPart, fstatSync(opened).size);
    if (header !== undefined) return { file: opened, header };
  } catch {
    // Not there, or not to be read: none.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}
