import { endianness } from 'node:os';

/** Whether this machine stores numbers with the lowest byte first. Files hold them in that order. */
export const LITTLE_ENDIAN: boolean = endianness() === 'LE';

/** Number of bytes from an offset up to the next multiple of 8. */
export function paddingTo8(offset: number): number {
  return (8 - (offset % 8)) % 8;
}
