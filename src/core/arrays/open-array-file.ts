import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { type ArrayFileIdentity, decodeHeader, hasIdentity, type ReadHeader } from './array-file-header.js';
import { hasStatedShape, type RulesOf } from './array-rules.js';
import { LITTLE_ENDIAN } from './byte-order.js';

/** What a reader expects of a file. Anything else is handled like damage. */
export interface ExpectedFile extends ArrayFileIdentity {
  /** What the arrays must keep to; by default whatever the header states goes. */
  readonly rulesOf?: RulesOf;
}

/** An array file that was opened. The caller closes it. */
interface OpenArrayFile {
  /** File descriptor. */
  readonly file: number;
  readonly header: ReadHeader;
}

/**
 * Opens an array file and checks its header.
 *
 * @returns undefined if there is no file, or it is damaged, or has another version, kind, origin or shape
 */
export function openArrayFile(path: string, expected: ExpectedFile): OpenArrayFile | undefined {
  if (!LITTLE_ENDIAN) return undefined;
  let file: number | undefined;
  try {
    // Opening a pipe could wait forever.
    if (!statSync(path).isFile()) return undefined;
    const opened = openSync(path, 'r');
    file = opened;
    const readPart = (from: number, to: number): Buffer => {
      const bytes = Buffer.alloc(to - from);
      return bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from));
    };
    const header = decodeHeader(readPart, fstatSync(opened).size);
    if (header !== undefined && hasIdentity(header, expected) && hasShape(header, expected)) return { file, header };
  } catch {
    // Missing or not readable: handled like a damaged file.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}

function hasShape(header: ReadHeader, { rulesOf }: ExpectedFile): boolean {
  return rulesOf === undefined || hasStatedShape(header, rulesOf);
}
