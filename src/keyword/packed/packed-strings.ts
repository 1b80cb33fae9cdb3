/** Strings by number, as the bytes of their UTF-8. */
export interface PackedStrings {
  /** All strings, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each string begins in `bytes`; one more than there are strings. */
  readonly starts: Uint32Array;
}

/** The strings of some numbers, in the order of `numbers`. */
export function pickStrings({ bytes, starts }: PackedStrings, numbers: Uint32Array): PackedStrings {
  const pickedStarts = new Uint32Array(numbers.length + 1);
  let total = 0;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    total += starts[number + 1]! - starts[number]!;
    pickedStarts[i + 1] = total;
  }
  const picked = new Uint8Array(total);
  let at = 0;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    const end = starts[number + 1]!;
    for (let byte = starts[number]!; byte < end; byte++) picked[at++] = bytes[byte]!;
  }
  return { bytes: picked, starts: pickedStarts };
}

/** Compares string `i` of `a` with string `j` of `b` by their bytes, which is the order of code points. */
export function compareBytes(a: PackedStrings, i: number, b: PackedStrings, j: number): number {
  let [atA, atB] = [a.starts[i]!, b.starts[j]!];
  const [endA, endB] = [a.starts[i + 1]!, b.starts[j + 1]!];
  while (atA < endA && atB < endB) {
    const difference = a.bytes[atA++]! - b.bytes[atB++]!;
    if (difference !== 0) return difference;
  }
  return endA - atA - (endB - atB);
}

/** Whether all bytes from `start` up to `end` are ASCII characters. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}
