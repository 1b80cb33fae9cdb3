import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  read as readCallback,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  type ArrayFileIdentity,
  type ArrayRule,
  type ArrayTree,
  arrayOver,
  arraysOf,
  arrayTypeOf,
  BLOCK_BYTES,
  bytesOfSection,
  decodeHeader,
  encodeHeader,
  hasIdentity,
  hasStatedShape,
  keepsRule,
  LITTLE_ENDIAN,
  type NumberArray,
  numbersOf,
  paddingTo8,
  type ReadHeader,
  type RulesOf,
  ruleOf,
  sizesIn,
  treeOf,
} from './array-file-header.js';

/** Reads parts of arrays from a file before they are used. */
export interface Pager {
  /**
   * Makes sure that a part of an array is in memory.
   *
   * @param from first element
   * @param to behind the last element; the end of the array by default
   * @throws {DamagedArrayFileError}
   */
  need(array: NumberArray, from?: number, to?: number): void;
}

/** A pager for arrays that are in memory as a whole. */
export const ALL_IN_MEMORY: Pager = { need: () => {} };

/** An array file does not hold what was written, or cannot be read any more. */
export class DamagedArrayFileError extends Error {
  override readonly name = 'DamagedArrayFileError';
}

const read = promisify(readCallback);

/** Bytes read between two turns of the event loop. */
const BYTES_LOADED_PER_TURN = 1 << 21;

/** An array whose values are checked when they are read. */
interface RuledArray {
  readonly path: string;
  readonly value: NumberArray;
  readonly rule: ArrayRule;
}

/**
 * An array file of which only the needed blocks are read. All arrays are views of one piece of memory as large as all
 * arrays together; the system allocates a page of it when something is written there. Every block is checked when it is
 * read, and what it holds against the rules of its arrays.
 */
export class PagedArrayFile implements Pager {
  readonly tree: ArrayTree;
  /** What the arrays were made from. */
  readonly origin: ArrayFileIdentity['origin'];
  readonly #path: string;
  readonly #file: number;
  readonly #header: ReadHeader;
  readonly #bytes: Uint8Array;
  /** 1 for each block that was read. */
  readonly #present: Uint8Array;
  readonly #ruled: readonly RuledArray[];
  #closed = false;

  /**
   * @param shared whether threads can share the memory of the arrays
   * @returns undefined if there is no file, or its header is damaged or has another version, kind, origin or shape
   */
  static open(path: string, expected: ExpectedFile, shared = false): PagedArrayFile | undefined {
    const opened = openArrayFile(path, expected);
    if (opened === undefined) return undefined;
    try {
      return new PagedArrayFile(path, opened, expected, shared);
    } catch {
      // Too large for memory, or two of its paths contradict each other.
      closeSync(opened.file);
      return undefined;
    }
  }

  private constructor(path: string, { file, header }: OpenArrayFile, { rulesOf }: ExpectedFile, shared: boolean) {
    this.#path = path;
    this.#file = file;
    this.#header = header;
    this.origin = header.origin;
    const memory = memoryFor(header.dataBytes, shared);
    this.#bytes = new Uint8Array(memory);
    this.#present = new Uint8Array(header.checksums.length);
    let start = 0;
    const arrays = header.sections.map((section) => {
      const value = arrayOver(section.type, memory, start, section.length);
      start += bytesOfSection(section);
      return { path: section.path, value };
    });
    this.tree = treeOf([...header.numbers, ...arrays]);
    const rules = rulesOf?.(sizesIn(header));
    this.#ruled = arrays.flatMap(({ path: of, value }) => {
      const rule = rules === undefined ? undefined : ruleOf(rules, of);
      const isChecked = rule?.below !== undefined || rule?.risesTo !== undefined;
      return isChecked ? [{ path: of, value, rule }] : [];
    });
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

  /**
   * Reads whole arrays. Gives way to the event loop in between.
   *
   * @throws {DamagedArrayFileError}
   */
  async load(arrays: readonly NumberArray[]): Promise<void> {
    for (const array of arrays) {
      if (array.length === 0) continue;
      const end = Math.ceil((array.byteOffset + array.byteLength) / BLOCK_BYTES);
      let block = Math.floor(array.byteOffset / BLOCK_BYTES);
      while (block < end) {
        const next = Math.min(end, block + BYTES_LOADED_PER_TURN / BLOCK_BYTES);
        if (this.#present.subarray(block, next).includes(0)) await this.#loadBlocks(block, next);
        block = next;
      }
    }
  }

  /** Closes the file. Blocks that were not read before cannot be read any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#file);
  }

  #readBlocks(from: number, to: number): void {
    if (this.#closed) throw new Error(`${this.#path} was closed`);
    const [start, end] = this.#rangeOf(from, to);
    for (let at = start; at < end; ) {
      let count: number;
      try {
        count = readSync(this.#file, this.#bytes, at, end - at, this.#header.dataStart + at);
      } catch (cause) {
        throw this.#damaged('cannot be read', cause);
      }
      if (count === 0) throw this.#damaged('is cut off');
      at += count;
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
      this.#checkRules(start, end);
      this.#present[block] = 1;
    }
  }

  /** Checks what a block holds, from one byte to another. The checksum says only that it is what somebody wrote. */
  #checkRules(start: number, end: number): void {
    for (const { path, value, rule } of this.#ruled) {
      const { byteOffset, BYTES_PER_ELEMENT: size, length } = value;
      if (byteOffset >= end || byteOffset + value.byteLength <= start) continue;
      const from = Math.max(0, (start - byteOffset) / size);
      const to = Math.min(length, (end - byteOffset) / size);
      const before = from > 0 && this.#present[start / BLOCK_BYTES - 1] === 1 ? value[from - 1] : undefined;
      const after = to < length && this.#present[end / BLOCK_BYTES] === 1 ? value[to] : undefined;
      if (!keepsRule(rule, value.subarray(from, to), { from, length, before, after })) {
        throw this.#damaged(`has impossible values in ${path}`);
      }
    }
  }

  #damaged(problem: string, cause?: unknown): DamagedArrayFileError {
    return new DamagedArrayFileError(`${this.#path} ${problem}`, { cause });
  }
}

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
 * @returns the numbers and the arrays that are kept; undefined if there is no file, or it is damaged anywhere, or an
 *   array breaks its rule, or it has another version, kind, origin or shape
 */
export async function readArrayFile(
  path: string,
  expected: ExpectedFile,
  { keeps, shared = false }: ReadArrayFileOptions = {},
): Promise<ArrayTree | undefined> {
  const file = PagedArrayFile.open(path, expected, shared);
  if (file === undefined) return undefined;
  const arrays = arraysOf(file.tree);
  try {
    await file.load(arrays.map(({ value }) => value));
  } catch {
    return undefined;
  } finally {
    file.close();
  }
  if (keeps === undefined) return file.tree;
  // In memory of their own, so that the others need none.
  const kept = arrays
    .filter((array) => keeps(array.path))
    .map((array) => ({ ...array, value: copyOf(array.value, shared) }));
  return treeOf([...numbersOf(file.tree), ...kept]);
}

function copyOf(array: NumberArray, shared: boolean): NumberArray {
  const copy = arrayOver(arrayTypeOf(array), memoryFor(array.byteLength, shared), 0, array.length);
  copy.set(array);
  return copy;
}

function memoryFor(bytes: number, shared: boolean): ArrayBufferLike {
  return shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

/** Whether a file is what is expected, and whole. Reads all of it. */
export async function isCurrentArrayFile(path: string, expected: ExpectedFile): Promise<boolean> {
  return (await readArrayFile(path, expected)) !== undefined;
}

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
  const sections = leaves.map(({ path: of, value }) => ({ path: of, type: arrayTypeOf(value), length: value.length }));
  const header = { kind, origin, numbers: numbersOf(tree), sections };
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

/** What a reader expects of a file. Anything else is handled like damage. */
export interface ExpectedFile extends ArrayFileIdentity {
  /** What the arrays must keep to; by default whatever the header states goes. */
  readonly rulesOf?: RulesOf;
}

/** An array file that was opened. The caller closes it. */
interface OpenArrayFile {
  /** File descriptor. */
  readonly file: number;
  readonly header: ReadHeader;
}

/**
 * Opens an array file and checks its header.
 *
 * @returns undefined if there is no file, or it is damaged, or has another version, kind, origin or shape
 */
export function openArrayFile(path: string, expected: ExpectedFile): OpenArrayFile | undefined {
  if (!LITTLE_ENDIAN) return undefined;
  let file: number | undefined;
  try {
    // Opening a pipe could wait forever.
    if (!statSync(path).isFile()) return undefined;
    const opened = openSync(path, 'r');
    file = opened;
    const readPart = (from: number, to: number): Buffer => {
      const bytes = Buffer.alloc(to - from);
      return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from));
    };
    const header = decodeHeader(readPart, fstatSync(opened).size);
    const isRight = header !== undefined && hasIdentity(header, expected) && hasStatedShape(header, expected.rulesOf);
    if (isRight) return { file, header };
  } catch {
    // Missing or not readable: handled like a damaged file.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}
