import { type FileHandle, open, stat } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { signWords, type VectorCodes } from './vector-codes.js';

/** What tells whether a file is whole. */
export interface Checksum {
  readonly size: number;
  /** CRC-32. */
  readonly crc: number;
}

/** What a file of codes says of itself. */
export interface VectorFileHeader {
  /** Of the catalogue whose vectors these are. */
  readonly stamp: string;
  /** Id of the model that made them. */
  readonly model: string;
  readonly dimensions: number;
  readonly count: number;
  /** The graph that belongs to it, in a file of its own; absent where there is none. */
  readonly graph?: Checksum;
}

export interface VectorFile {
  readonly header: VectorFileHeader;
  readonly keys: Float64Array;
  readonly codes: VectorCodes;
}

/**
 * Layout, all numbers little-endian:
 *
 *     0   magic, 8 bytes
 *     8   format version, uint32
 *     12  length of the header, uint32
 *     16  header, JSON, blanks at its end up to a multiple of 8
 *         keys     count x float64
 *         bytes    count x dimensions x int8, zeros up to a multiple of 8
 *         signs    count x ceil(dimensions / 32) x uint32
 *         scales   count x float32
 *         mean     dimensions x float32
 *         CRC-32 of everything before, uint32
 */
const MAGIC = 'SKILVECT';
const VERSION = 2;
const HEADER_AT = 16;

/** Bytes between two turns of the event loop while a checksum is taken: about a millisecond. */
const CHECKED_A_TURN = 1 << 20;

/** Files are read and written as they lie in memory, which is the same on every machine that matters. */
const LITTLE_ENDIAN = endianness() === 'LE';

/** The whole file; undefined on a machine whose numbers lie the other way round, where it is not worth having. */
export function encodeVectorFile({ header, keys, codes }: VectorFile): Uint8Array | undefined {
  if (!LITTLE_ENDIAN) return undefined;
  const json = JSON.stringify(header);
  const text = Buffer.from(json + ' '.repeat(padding(HEADER_AT + Buffer.byteLength(json))));
  const start = HEADER_AT + text.length;
  const places = sections(header, start);
  const file = Buffer.alloc(places.end + 4);
  file.write(MAGIC, 0, 'latin1');
  file.writeUInt32LE(VERSION, 8);
  file.writeUInt32LE(text.length, 12);
  text.copy(file, HEADER_AT);
  file.set(bytesOf(keys), places.keys);
  file.set(bytesOf(codes.bytes), places.bytes);
  file.set(bytesOf(codes.signs), places.signs);
  file.set(bytesOf(codes.scales), places.scales);
  file.set(bytesOf(codes.mean), places.mean);
  file.writeUInt32LE(crc32(file.subarray(0, places.end)), places.end);
  return file;
}

/** @returns undefined where there is no such file, or it is damaged or of another version */
export async function readVectorFile(path: string): Promise<VectorFile | undefined> {
  if (!LITTLE_ENDIAN) return undefined;
  try {
    const file = await openFile(path);
    try {
      return await decode(file);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Anything else than a file could keep who opens it waiting for ever. */
async function openFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`);
  return open(path);
}

async function decode(handle: FileHandle): Promise<VectorFile | undefined> {
  const { size } = await handle.stat();
  if (size < HEADER_AT + 4) return undefined;
  const memory = new SharedArrayBuffer(size);
  const file = Buffer.from(memory);
  for (let read = 0; read < size; ) {
    const { bytesRead } = await handle.read(file, read, size - read, read);
    if (bytesRead === 0) return undefined;
    read += bytesRead;
  }
  if (file.toString('latin1', 0, 8) !== MAGIC || file.readUInt32LE(8) !== VERSION) return undefined;
  if (file.readUInt32LE(size - 4) !== (await checksumInTurns(file.subarray(0, size - 4)))) return undefined;
  const start = HEADER_AT + file.readUInt32LE(12);
  const header = JSON.parse(file.toString('utf8', HEADER_AT, start)) as VectorFileHeader;
  const { count, dimensions } = header;
  const places = sections(header, start);
  if (places.end !== size - 4) return undefined;
  return {
    header,
    keys: new Float64Array(memory, places.keys, count),
    codes: {
      count,
      dimensions,
      bytes: new Int8Array(memory, places.bytes, count * dimensions),
      signs: new Uint32Array(memory, places.signs, count * signWords(dimensions)),
      scales: new Float32Array(memory, places.scales, count),
      mean: new Float32Array(memory, places.mean, dimensions),
    },
  };
}

/** Where the parts of a file begin. */
function sections(
  { count, dimensions }: VectorFileHeader,
  start: number,
): {
  readonly keys: number;
  readonly bytes: number;
  readonly signs: number;
  readonly scales: number;
  readonly mean: number;
  readonly end: number;
} {
  const bytes = start + count * 8;
  const signs = bytes + count * dimensions + padding(count * dimensions);
  const scales = signs + count * signWords(dimensions) * 4;
  const mean = scales + count * 4;
  return { keys: start, bytes, signs, scales, mean, end: mean + dimensions * 4 };
}

function padding(length: number): number {
  return (8 - (length % 8)) % 8;
}

function bytesOf(array: Float64Array | Int8Array | Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

async function checksumInTurns(bytes: Uint8Array): Promise<number> {
  let crc = 0;
  for (let at = 0; at < bytes.length; at += CHECKED_A_TURN) {
    crc = crc32(bytes.subarray(at, at + CHECKED_A_TURN), crc);
    await new Promise(setImmediate);
  }
  return crc;
}

/** Size and CRC-32 of a file, read piece by piece; undefined where there is none. */
export async function checksumOf(path: string): Promise<Checksum | undefined> {
  try {
    const file = await openFile(path);
    try {
      const piece = Buffer.alloc(CHECKED_A_TURN);
      let [size, crc] = [0, 0];
      for (;;) {
        const { bytesRead } = await file.read(piece, 0, piece.length, size);
        if (bytesRead === 0) return { size, crc };
        crc = crc32(piece.subarray(0, bytesRead), crc);
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Whether a file is there and is the one of this checksum. */
export async function isWhole(path: string, { size, crc }: Checksum): Promise<boolean> {
  const found = await checksumOf(path);
  return found?.size === size && found.crc === crc;
}
