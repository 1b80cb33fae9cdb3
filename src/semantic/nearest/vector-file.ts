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
  const bytes = await readChecked(path, ({ end }) => end);
  return bytes === undefined ? undefined : { ...bytes, codes: codesIn(bytes) };
}

/** {@link readVectorFile}, all of which is checked, but only the keys of which are kept in memory. */
export async function readVectorKeys(path: string): Promise<Omit<VectorFile, 'codes'> | undefined> {
  return readChecked(path, ({ bytes }) => bytes);
}

/** Anything else than a file could keep who opens it waiting for ever. */
async function openFile(path: string): Promise<FileHandle> {
  if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`);
  return open(path);
}

/** The beginning of a file that is whole. */
interface CheckedBytes {
  readonly header: VectorFileHeader;
  readonly keys: Float64Array;
  readonly memory: SharedArrayBuffer;
  readonly places: Sections;
}

/** @param endOf where what is kept in memory ends */
async function readChecked(path: string, endOf: (places: Sections) => number): Promise<CheckedBytes | undefined> {
  if (!LITTLE_ENDIAN) return undefined;
  try {
    const file = await openFile(path);
    try {
      return await decode(file, endOf);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function decode(file: FileHandle, endOf: (places: Sections) => number): Promise<CheckedBytes | undefined> {
  const { size } = await file.stat();
  const head = Buffer.alloc(HEADER_AT);
  await file.read(head, 0, HEADER_AT, 0);
  if (head.toString('latin1', 0, 8) !== MAGIC || head.readUInt32LE(8) !== VERSION) return undefined;
  const start = HEADER_AT + head.readUInt32LE(12);
  if (start > size) return undefined;
  const text = Buffer.alloc(start - HEADER_AT);
  await file.read(text, 0, text.length, HEADER_AT);
  const header = JSON.parse(text.toString()) as VectorFileHeader;
  const places = sections(header, start);
  if (places.end !== size - 4) return undefined;

  const kept = Buffer.from(new SharedArrayBuffer(endOf(places)));
  const piece = Buffer.alloc(CHECKED_A_TURN);
  let crc = 0;
  for (let at = 0; at < places.end; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, places.end - at), at);
    if (bytesRead === 0) return undefined;
    crc = crc32(piece.subarray(0, bytesRead), crc);
    if (at < kept.length) piece.copy(kept, at, 0, Math.min(bytesRead, kept.length - at));
    at += bytesRead;
  }
  await file.read(piece, 0, 4, places.end);
  if (piece.readUInt32LE(0) !== crc) return undefined;
  const memory = kept.buffer as SharedArrayBuffer;
  return { header, keys: new Float64Array(memory, places.keys, header.count), memory, places };
}

function codesIn({ header: { count, dimensions }, memory, places }: CheckedBytes): VectorCodes {
  return {
    count,
    dimensions,
    bytes: new Int8Array(memory, places.bytes, count * dimensions),
    signs: new Uint32Array(memory, places.signs, count * signWords(dimensions)),
    scales: new Float32Array(memory, places.scales, count),
    mean: new Float32Array(memory, places.mean, dimensions),
  };
}

/** Where the parts of a file begin. */
interface Sections {
  readonly keys: number;
  readonly bytes: number;
  readonly signs: number;
  readonly scales: number;
  readonly mean: number;
  readonly end: number;
}

function sections({ count, dimensions }: VectorFileHeader, start: number): Sections {
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
