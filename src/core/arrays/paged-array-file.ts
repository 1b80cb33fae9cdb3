import { closeSync, read as readCallback, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type ExpectedFile, openArrayFile } from './array-file.js';
import {
  type ArrayFileIdentity,
  type ArrayRule,
  type ArrayTree,
  arrayOver,
  BLOCK_BYTES,
  bytesOfSection,
  keepsRule,
  type NumberArray,
  type ReadHeader,
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

/** Bytes read between two turns of the event loop. */
const BYTES_PER_TURN = 1 << 23;

const readAsync = promisify(readCallback);

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

  /** @returns undefined if there is no file, or its header is damaged or has another version, kind, origin or shape */
  static open(path: string, expected: ExpectedFile): PagedArrayFile | undefined {
    const opened = openArrayFile(path, expected);
    if (opened === undefined) return undefined;
    try {
      return new PagedArrayFile(path, opened.file, opened.header, expected);
    } catch {
      // Too large for memory, or two of its paths contradict each other.
      closeSync(opened.file);
      return undefined;
    }
  }

  private constructor(path: string, file: number, header: ReadHeader, { rulesOf }: ExpectedFile) {
    this.#path = path;
    this.#file = file;
    this.#header = header;
    this.origin = header.origin;
    const memory = new ArrayBuffer(header.dataBytes);
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
        const next = Math.min(end, block + BYTES_PER_TURN / BLOCK_BYTES);
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
      const { bytesRead } = await readAsync(this.#file, this.#bytes, at, end - at, this.#header.dataStart + at).catch(
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
