import { crc32 } from 'node:zlib';
import type { HashedFile } from '../../agents/index.js';

/** Longest stored block of deflate, in bytes. */
const STORED_BLOCK = 65_535;

/** Magic, deflate, no flags, no time, no level, unknown system. */
const HEADER = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/**
 * Bytes as gzip that stores them as they are. What zlib makes of the same bytes differs from one of its versions to the
 * next, and so from one version of Node to the next; this is the same for good, so that digests of it are, too. Skills
 * are small.
 */
export function storedGzip(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(bytes.length / STORED_BLOCK));
  const packed = Buffer.allocUnsafeSlow(HEADER.length + bytes.length + 5 * blocks + 8);
  let at = HEADER.copy(packed);
  for (let i = 0; i < blocks; i++) {
    const block = bytes.subarray(i * STORED_BLOCK, (i + 1) * STORED_BLOCK);
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

const BLOCK = 512;

/** Of all files: 1980-01-01, the first that every archive format can say. Programs warn of files from 1970. */
const TIME = 315_532_800;

/** Longest name and longest folder of a path, in bytes of UTF-8. */
const LONGEST = { name: 100, prefix: 155 } as const;

/**
 * A tar archive (POSIX ustar) of files, with the mode of each and nothing else of where they were: the same files give
 * the same bytes, on every machine.
 *
 * @param files whose paths fit, see {@link splitPath}
 */
export function tarOf(files: readonly HashedFile[]): Buffer {
  const sizes = files.map(({ bytes }) => BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK);
  const archive = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 2 * BLOCK));
  let at = 0;
  for (const [i, { path, bytes, executable }] of files.entries()) {
    writeHeader(archive.subarray(at, at + BLOCK), path, bytes.length, executable);
    archive.set(bytes, at + BLOCK);
    at += sizes[i]!;
  }
  return archive;
}

function writeHeader(header: Buffer, path: string, size: number, executable: boolean): void {
  const { name, prefix } = splitPath(path)!;
  header.write(name, 0);
  header.write(executable ? '0000755' : '0000644', 100);
  // Owner and group: those of the system.
  header.write('0000000', 108);
  header.write('0000000', 116);
  header.write(octal(size), 124);
  header.write(octal(TIME), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write('0000000', 329);
  header.write('0000000', 337);
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

function octal(value: number): string {
  return value.toString(8).padStart(11, '0');
}

export function splitPath(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (Buffer.byteLength(path) <= LONGEST.name) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(prefix) > LONGEST.prefix) return undefined;
    if (Buffer.byteLength(name) <= LONGEST.name) return { name, prefix };
  }
  return undefined;
}
