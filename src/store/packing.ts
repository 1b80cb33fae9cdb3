import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

/** What is stored of a text: the text itself, or packed. */
export type StoredText = string | Buffer;

/** Bytes before a packed text: how many it has when it is unpacked, little-endian. */
const HEAD_BYTES = 4;

/** Texts of fewer bytes stay as they are: two of them save less than the page of the database that they lie in. */
const SHORTEST = 64;

/** What packing must leave at most. */
const WORTHWHILE = 0.9;

/** The level of compression. That of zlib itself takes a tenth longer, for one byte in a hundred. */
const LEVEL = 4;

/**
 * For texts that lie in a window of 16 KB, as most do: a compressor takes a third of the memory, which V8 counts as
 * garbage after each text. Packed texts are the same.
 */
const SMALL_COMPRESSOR = { windowBits: 14, memLevel: 6 } as const;
const SMALL_WINDOW: number = 2 ** SMALL_COMPRESSOR.windowBits;

/** Bytes of a record that count: enough for the longest description of most skills. */
const RECORD_BYTES = 4096;

/**
 * What is stored of a text: itself if packing does not save a tenth, else its length and a raw deflate. The record of
 * the skill is the preset dictionary, because most texts begin with what the record says. So a packed text can be read
 * only with the record that it was packed with, which is compared with its checksum before.
 *
 * @param record of the skill
 */
export function packText(text: string, record: string): StoredText {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  // A lone surrogate would not come back.
  if (length < SHORTEST || !text.isWellFormed()) return text;
  const dictionary = dictionaryOf(record);
  const compressor = dictionary.length + length <= SMALL_WINDOW ? SMALL_COMPRESSOR : undefined;
  const packed = deflateRawSync(bytes, { level: LEVEL, chunkSize: Math.max(64, length), dictionary, ...compressor });
  if (HEAD_BYTES + packed.length > length * WORTHWHILE) return text;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(length);
  return Buffer.concat([head, packed]);
}

/**
 * The text that is stored; undefined if it cannot be unpacked. Whether it was packed with another record cannot always
 * be told, so both must have been compared with their checksums before.
 *
 * @param record of the skill, as it was when the text was packed
 */
export function textOf(stored: StoredText, record: string): string | undefined {
  if (typeof stored === 'string') return stored;
  if (stored.length <= HEAD_BYTES) return undefined;
  const length = stored.readUInt32LE();
  try {
    // One byte more than it takes, else the last call would find no room and make a second one.
    const chunkSize = Math.min(Math.max(64, length + 1), 2 ** 20);
    const options = { dictionary: dictionaryOf(record), chunkSize, maxOutputLength: Math.max(1, length) };
    const bytes = inflateRawSync(stored.subarray(HEAD_BYTES), options);
    return bytes.length === length ? bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a stored value can be a text at all. Damage can change the type of a value. */
export function isStoredText(value: unknown): value is StoredText {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

function dictionaryOf(record: string): Buffer {
  return Buffer.from(record).subarray(0, RECORD_BYTES);
}

const deflate = promisify(deflateRaw);

/** Bytes ready to be stored. */
export interface PackedBlob {
  /** Of the bytes before they were packed: 64 hexadecimal digits. */
  readonly sha256: string;
  /** Before they were packed. */
  readonly size: number;
  readonly packing: 'deflate' | 'raw';
  readonly bytes: Buffer;
}

/** Bytes that are not worth a compression. */
const SMALL = 64;

/** Bytes from which on a sample says whether they are worth it, and another thread compresses them. */
const LARGE = 16 * 1024;

/** Bytes of a part of the sample. */
const SAMPLE = 2048;

/** Bytes that are unpacked at once. */
const UNPACKED_AT_ONCE = 1024 * 1024;

/**
 * Compresses bytes. What does not save a tenth stays as it is. Few bytes are compressed in this thread: for 2 kB that takes
 * 50 µs, and handing them to another thread 300 µs of both.
 */
export async function packBlob(sha256: string, bytes: Uint8Array): Promise<PackedBlob> {
  const size = bytes.length;
  const isWorth = size > LARGE ? await shrinks(bytes) : size > SMALL;
  const packed = !isWorth ? undefined : size > LARGE ? await deflate(bytes) : deflateRawSync(bytes);
  if (packed !== undefined && packed.length <= size * WORTHWHILE)
    return { sha256, size, packing: 'deflate', bytes: packed };
  return { sha256, size, packing: 'raw', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size) };
}

/** Whether compression helps a little, by three parts of the bytes. Most large files are compressed already. */
async function shrinks(bytes: Uint8Array): Promise<boolean> {
  const starts = [0, (bytes.length - SAMPLE) >> 1, bytes.length - SAMPLE];
  const sample = Buffer.concat(starts.map((start) => bytes.subarray(start, start + SAMPLE)));
  return (await deflate(sample)).length < sample.length * WORTHWHILE;
}

/**
 * @param size of the bytes before they were packed: no more are unpacked
 * @throws if they were not packed like this
 */
export function unpackBlob(bytes: Buffer, packing: string, size: number): Buffer {
  // A limit of 0 is none. Larger parts than usual: each is a call and a buffer, 16 MiB would take half as long again.
  const options = { maxOutputLength: Math.max(1, size), chunkSize: Math.min(Math.max(64, size), UNPACKED_AT_ONCE) };
  return packing === 'deflate' ? inflateRawSync(bytes, options) : bytes;
}
