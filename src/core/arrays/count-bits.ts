/** Number of set bits among the 32 bits of a number (H. S. Warren, Hacker's Delight, 5-1). */
export function countBits(value: number): number {
  const byFour = countBitsByFour(value);
  return Math.imul((byFour + (byFour >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * The first half of {@link countBits}: eight sums of four bits each. Three such results can be added without overflow.
 */
export function countBitsByFour(value: number): number {
  const byTwo = (value - ((value >>> 1) & 0x55555555)) | 0;
  return ((byTwo & 0x33333333) + ((byTwo >>> 2) & 0x33333333)) | 0;
}
