import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** How bytes are stored. */
type Packing = 'deflate' | 'raw';

/** Bytes ready to be stored. */
export interface PackedBlob {
  /** Of the bytes before they were packed: 64 hexadecimal digits. */
  readonly sha256: string;
  /** Before they were packed. */
  readonly size: number;
  readonly packing: Packing;
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

/** What must be left of the sample at most. */
const WORTHWHILE = 0.95;

/**
 * Compresses bytes. What does not shrink stays as it is. Few bytes are compressed in this thread: for 2 kB that takes
 * 50 µs, and handing them to another thread 300 µs of both.
 */
export async function packBlob(sha256: string, bytes: Uint8Array): Promise<PackedBlob> {
  const size = bytes.length;
  const packed = size <= LARGE ? packFew(bytes) : (await shrinks(bytes)) ? await deflate(bytes) : undefined;
  if (packed !== undefined && packed.length < size) return { sha256, size, packing: 'deflate', bytes: packed };
  return { sha256, size, packing: 'raw', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size) };
}

function packFew(bytes: Uint8Array): Buffer | undefined {
  return bytes.length <= SMALL ? undefined : deflateRawSync(bytes);
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
