import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** How bytes are stored. */
export type Packing = 'deflate' | 'raw';

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

/** Compresses bytes, outside of this thread. What does not shrink stays as it is. */
export async function packBlob(sha256: string, bytes: Uint8Array): Promise<PackedBlob> {
  const size = bytes.length;
  const packed = size <= SMALL ? undefined : await deflate(bytes);
  if (packed !== undefined && packed.length < size) return { sha256, size, packing: 'deflate', bytes: packed };
  return { sha256, size, packing: 'raw', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, size) };
}

/**
 * @param size of the bytes before they were packed: no more are unpacked
 * @throws if they were not packed like this
 */
export function unpackBlob(bytes: Buffer, packing: string, size: number): Buffer {
  // A limit of 0 is none.
  return packing === 'deflate' ? inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) }) : bytes;
}
