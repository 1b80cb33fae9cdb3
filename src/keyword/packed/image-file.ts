import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { PackedKeywords } from './packed-keywords.js';

/**
 * Layout, all numbers little-endian:
 *
 *     0   magic, 8 bytes
 *     8   format version, uint32
 *     12  length of the header, uint32
 *     16  header, JSON, blanks at its end up to a multiple of 8
 *         the arrays that the header lists, each up to a multiple of 8
 *         CRC-32 of everything before, uint32
 */
const MAGIC = 'SKILWORD';
const VERSION = 2;
const HEADER_AT = 16;

/** Files are read and written as they lie in memory, which is the same on every machine that matters. */
const LITTLE_ENDIAN = endianness() === 'LE';

/** Bytes that are read, and checked, between two turns of the event loop. */
const READ_A_TURN = 1 << 23;

const ARRAYS = { Uint8Array, Uint32Array } as const;
type ArrayName = keyof typeof ARRAYS;

/** An array of the file. */
interface Section {
  /** Where it belongs: `postings.documents`. */
  readonly path: string;
  readonly array: ArrayName;
  readonly length: number;
}

interface Header {
  /** Of the catalogue whose words these are. */
  readonly stamp: string;
  /** Number of documents. */
  readonly size: number;
  readonly sections: readonly Section[];
}

/** The file that is derived from a catalogue's words. */
export function imageFileOf(catalogue: string): string {
  return `${catalogue}.keyword`;
}

/**
 * Writes the file aside, and then in its place.
 *
 * @throws Error of the file system; what stood there before is left then
 */
export function writeImage(path: string, stamp: string, keywords: PackedKeywords): void {
  if (!LITTLE_ENDIAN) return;
  const arrays = arraysOf(keywords);
  const sections = arrays.map(([name, array]) => ({
    path: name,
    array: (array instanceof Uint32Array ? 'Uint32Array' : 'Uint8Array') as ArrayName,
    length: array.length,
  }));
  const header: Header = { stamp, size: keywords.size, sections };
  const json = JSON.stringify(header);
  const text = Buffer.from(json + ' '.repeat(padding(HEADER_AT + Buffer.byteLength(json))));
  const head = Buffer.alloc(HEADER_AT);
  head.write(MAGIC, 0, 'latin1');
  head.writeUInt32LE(VERSION, 8);
  head.writeUInt32LE(text.length, 12);

  const part = `${path}-part`;
  try {
    writeSynced(part, [head, text, ...arrays.flatMap(([, array]) => padded(array))]);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Writes pieces one behind the other, and their checksum. */
function writeSynced(path: string, pieces: readonly Uint8Array[]): void {
  const file = openSync(path, 'w');
  try {
    let crc = 0;
    const append = (bytes: Uint8Array): void => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    };
    for (const piece of pieces) {
      append(piece);
      // Of nothing, zlib takes the checksum to begin anew.
      if (piece.length > 0) crc = crc32(piece, crc);
    }
    const tail = Buffer.alloc(4);
    tail.writeUInt32LE(crc);
    append(tail);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The bytes of an array, and zeros up to a multiple of 8. */
function padded(array: NumberArray): Uint8Array[] {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  return [bytes, new Uint8Array(padding(bytes.length))];
}

/** Whether the file says that it is of a state of the catalogue; it is not read for that. */
export function imageIsCurrent(path: string, stamp: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEADER_AT);
      readSync(file, head, 0, HEADER_AT, 0);
      if (head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) return false;
      const text = Buffer.alloc(Math.min(head.readUInt32LE(12), fstatSync(file).size));
      readSync(file, text, 0, text.length, HEADER_AT);
      return (JSON.parse(text.toString()) as Header).stamp === stamp;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/**
 * @param stamp of the state that is meant; any will do where it is left out
 * @returns undefined where there is no such file, or it is damaged, of another version or of another state
 */
export async function readImage(path: string, stamp?: string): Promise<PackedKeywords | undefined> {
  if (!LITTLE_ENDIAN) return undefined;
  try {
    const file = await open(path);
    try {
      return await readFrom(file, stamp);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function readFrom(file: FileHandle, stamp: string | undefined): Promise<PackedKeywords | undefined> {
  const { size } = await file.stat();
  const head = Buffer.alloc(HEADER_AT);
  await file.read(head, 0, HEADER_AT, 0);
  if (head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) return undefined;
  const headerEnd = HEADER_AT + head.readUInt32LE(12);
  if (headerEnd + 4 > size) return undefined;
  const text = Buffer.alloc(headerEnd - HEADER_AT);
  await file.read(text, 0, text.length, HEADER_AT);
  const header = JSON.parse(text.toString()) as Header;
  if (stamp !== undefined && header.stamp !== stamp) return undefined;
  const end = header.sections.reduce((at, section) => at + paddedBytes(section), headerEnd);
  if (end + 4 !== size) return undefined;

  const bytes = Buffer.from(new ArrayBuffer(end + 4 - headerEnd));
  let crc = crc32(text, crc32(head));
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(READ_A_TURN, bytes.length - at), headerEnd + at);
    if (bytesRead === 0) return undefined;
    crc = crc32(bytes.subarray(at, Math.min(at + bytesRead, bytes.length - 4)), crc);
    at += bytesRead;
  }
  if (bytes.readUInt32LE(bytes.length - 4) !== crc) return undefined;
  return keywordsOf(header, bytes.buffer as ArrayBuffer);
}

type NumberArray = Uint8Array | Uint32Array;

/** All arrays of an object and of the objects in it, by their paths. */
function arraysOf(value: object, prefix = ''): [path: string, array: NumberArray][] {
  return Object.entries(value).flatMap(([name, part]): [string, NumberArray][] => {
    if (part instanceof Uint32Array || part instanceof Uint8Array) return [[prefix + name, part]];
    return typeof part === 'object' ? arraysOf(part, `${prefix}${name}.`) : [];
  });
}

/** The memory of all arrays, for moving them to another thread: each has its own, or shares it with none that stays. */
export function memoryOf(value: object): ArrayBuffer[] {
  return [...new Set(arraysOf(value).map(([, { buffer }]) => buffer as ArrayBuffer))];
}

function keywordsOf({ size, sections }: Header, buffer: ArrayBuffer): PackedKeywords {
  const keywords: Record<string, unknown> = { size };
  let at = 0;
  for (const section of sections) {
    const names = section.path.split('.');
    const last = names.pop() as string;
    let owner = keywords;
    for (const name of names) {
      owner[name] ??= {};
      owner = owner[name] as Record<string, unknown>;
    }
    owner[last] = new ARRAYS[section.array](buffer, at, section.length);
    at += paddedBytes(section);
  }
  // The version says that these are all.
  return keywords as unknown as PackedKeywords;
}

function paddedBytes({ array, length }: Section): number {
  const bytes = length * ARRAYS[array].BYTES_PER_ELEMENT;
  return bytes + padding(bytes);
}

/** Bytes up to the next multiple of 8. */
function padding(bytes: number): number {
  return (8 - (bytes % 8)) % 8;
}
