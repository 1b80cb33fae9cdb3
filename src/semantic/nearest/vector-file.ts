import type { ArrayFileIdentity } from '../../arrays/array-file-header.js';
import { readArrayFile } from '../../arrays/read-array-file.js';
import { writeArrayFilePart } from '../../arrays/write-array-file.js';
import type { Checksum } from './file-checksum.js';
import { signWords, type VectorCodes } from './vector-codes.js';

/** What the vectors of a vector file were made from. */
export interface VectorFileOrigin {
  /** Stamp of the state of the catalogue. */
  readonly stamp: string;
  /** Id of the model. */
  readonly model: string;
}

/** The content of a vector file. */
export interface VectorFile {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  readonly codes: VectorCodes;
  /** Checksum of the graph of these vectors, which is in another file. Left out if there is none. */
  readonly graph?: Checksum | undefined;
}

/** The content of a vector file without the arrays by vector. */
export interface VectorFileKeys extends Pick<VectorFile, 'keys' | 'graph'> {
  readonly codes: Pick<VectorCodes, 'count' | 'dimensions' | 'mean'>;
}

/**
 * Reads a vector file into memory that threads can share. Gives way to the event loop in between.
 *
 * @returns undefined if there is no file, or it is damaged or has another version or origin
 */
export async function readVectorFile(path: string, origin: Partial<VectorFileOrigin>): Promise<VectorFile | undefined> {
  const tree = await readArrayFile(path, identityOf(origin), { shared: true });
  const file = tree as Partial<Record<string, unknown>> as Partial<VectorFile> | undefined;
  return hasKeys(file) && hasCodes(file) ? file : undefined;
}

/** Like {@link readVectorFile}: checks the whole file, but keeps only the keys and the mean in memory. */
export async function readVectorKeys(
  path: string,
  origin: Partial<VectorFileOrigin>,
): Promise<VectorFileKeys | undefined> {
  const tree = await readArrayFile(path, identityOf(origin), {
    shared: true,
    keeps: (name) => name === 'keys' || name === 'codes.mean',
  });
  const file = tree as Partial<Record<string, unknown>> as Partial<VectorFileKeys> | undefined;
  return hasKeys(file) ? file : undefined;
}

/** Whether a key for each vector is there. A scan would trust the numbers of a file with right checksums. */
function hasKeys(file: Partial<VectorFileKeys> | undefined): file is VectorFileKeys {
  const { keys, codes } = file ?? {};
  if (!(keys instanceof Float64Array) || codes?.count !== keys.length || !areAscending(keys)) return false;
  return codes.mean instanceof Float32Array && codes.mean.length === codes.dimensions;
}

function areAscending(keys: Float64Array): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < keys.length; i++) {
    if (!(keys[i]! > last && Number.isSafeInteger(keys[i]))) return false;
    last = keys[i]!;
  }
  return true;
}

function hasCodes({ codes }: VectorFileKeys & { readonly codes: Partial<VectorCodes> }): boolean {
  const { count, dimensions, signs, bytes, scales } = codes;
  return (
    signs instanceof Uint32Array &&
    signs.length === count * signWords(dimensions) &&
    bytes instanceof Int8Array &&
    bytes.length === count * dimensions &&
    scales instanceof Float32Array &&
    scales.length === count
  );
}

/** Writes the file of `partOf(path)`. The caller renames it. */
export function writeVectorFilePart(path: string, origin: VectorFileOrigin, content: VectorFile): void {
  writeArrayFilePart(path, identityOf(origin), content);
}

function identityOf(origin: Partial<VectorFileOrigin>): ArrayFileIdentity {
  return { kind: 'vectors', origin: { ...origin } };
}
