import { gunzipSync } from 'node:zlib';

/** A file of an archive. */
export interface Unpacked {
  readonly path: string;
  readonly mode: string;
  readonly bytes: Buffer;
}

/** Reads a .tar.gz as installers do, with the fields of its headers checked. */
export function unpack(archive: Uint8Array): Unpacked[] {
  const tar = gunzipSync(archive);
  const files: Unpacked[] = [];
  for (let at = 0; tar.subarray(at, at + 512).some((byte) => byte !== 0); ) {
    const header = tar.subarray(at, at + 512);
    const field = (start: number, length: number): string => {
      const bytes = header.subarray(start, start + length);
      const end = bytes.indexOf(0);
      return bytes.subarray(0, end === -1 ? length : end).toString('utf8');
    };
    const blank = Buffer.from(header).fill(' ', 148, 156);
    if (blank.reduce((sum, byte) => sum + byte, 0) !== Number.parseInt(field(148, 8), 8)) throw new Error('checksum');
    if (field(156, 1) !== '0' || field(257, 6) !== 'ustar') throw new Error('no file of ustar');
    const size = Number.parseInt(field(124, 12), 8);
    const [prefix, name] = [field(345, 155), field(0, 100)];
    const bytes = tar.subarray(at + 512, at + 512 + size);
    files.push({ path: prefix === '' ? name : `${prefix}/${name}`, mode: field(100, 8), bytes });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
