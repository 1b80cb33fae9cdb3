import { crc32 } from 'node:zlib';

/** Longest stored block of deflate, in bytes. */
const BLOCK = 65_535;

/** Magic, deflate, no flags, no time, no level, unknown system. */
const HEADER = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/**
 * Bytes as gzip that stores them as they are. What zlib makes of the same bytes differs from one of its versions to the
 * next, and so from one version of Node to the next; this is the same for good, so that digests of it are, too. Skills
 * are small.
 */
export function storedGzip(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
  const packed = Buffer.allocUnsafeSlow(HEADER.length + bytes.length + 5 * blocks + 8);
  let at = HEADER.copy(packed);
  for (let i = 0; i < blocks; i++) {
    const block = bytes.subarray(i * BLOCK, (i + 1) * BLOCK);
    at = packed.writeUInt8(i === blocks - 1 ? 1 : 0, at);
    at = packed.writeUInt16LE(block.length, at);
    at = packed.writeUInt16LE(0xffff - block.length, at);
    packed.set(block, at);
    at += block.length;
  }
  at = packed.writeUInt32LE(crc32(bytes), at);
  packed.writeUInt32LE(bytes.length, at);
  return packed;
}
