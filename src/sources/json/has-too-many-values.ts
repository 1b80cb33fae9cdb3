import type { Buffer } from 'node:buffer';

/**
 * Values in a row of a JSON source: commas, colons and opening brackets. A row with more is rejected before it is
 * parsed. A skill with a thousand files has some 5,000; parsed, a byte of brackets takes up to 40 bytes.
 */
export const MAX_ROW_VALUES = 100_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** A row of fewer bytes cannot do harm, whatever is in it: it is not looked at. */
const FREE_BYTES = 256 * 1024;

/**
 * Whether parsing a row would make more values than a row may have: of 64 MiB of brackets `JSON.parse` makes some
 * gigabytes. Counts commas, colons and opening brackets outside strings, in one pass.
 */
export function hasTooManyValues(row: Buffer, limit: number = MAX_ROW_VALUES): boolean {
  if (row.length <= FREE_BYTES) return false;
  let count = 0;
  for (let i = 0; i < row.length; i++) {
    const byte = row[i]!;
    if (byte === QUOTE) {
      const end = endOfString(row, i + 1);
      if (end === -1) return false;
      i = end;
    } else if (byte === COMMA || byte === COLON || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      count++;
      if (count > limit) return true;
    }
  }
  return false;
}

/** Offset of the quote that ends a string; -1 if none does. */
function endOfString(row: Buffer, from: number): number {
  let at = row.indexOf(QUOTE, from);
  while (at !== -1) {
    let backslashes = 0;
    while (at - backslashes > from && row[at - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
    at = row.indexOf(QUOTE, at + 1);
  }
  return -1;
}
