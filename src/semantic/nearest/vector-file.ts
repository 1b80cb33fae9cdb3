import { closeSync } from 'node:fs';
import type { ArrayFileIdentity } from '../../core/index.js';
import { openArrayFile, readArrayFile, writeArrayFilePart } from '../../core/index.js';
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
  /** Checksums of the graphs of these vectors, by slice, which are in other files. None if there is no graph. */
  readonly graphs: readonly Checksum[];
  /** Undefined if the file was written before it had them. */
  readonly links?: VectorLinks | undefined;
}

/** Which skill has which vector. */
export interface VectorLinks {
  /** Numbers of the skills that have one, ascending. */
  readonly skills: Float64Array;
  /** The place of the vector of each of them, of type `VectorPlace`. */
  readonly places: Uint32Array;
}

/** The content of a vector file without the arrays by vector. */
export interface VectorFileKeys extends Pick<VectorFile, 'keys' | 'graphs' | 'links'> {
  readonly codes: Pick<VectorCodes, 'count' | 'dimensions' | 'mean'>;
}

/** The tree of arrays that a vector file is written as. */
interface VectorFileTree {
  readonly keys: Float64Array;
  readonly codes: VectorCodes;
  /** By slice. Left out if there is no graph. */
  readonly graphs?: {
    /** In bytes. */
    readonly sizes: Float64Array;
    /** CRC-32. */
    readonly crcs: Uint32Array;
  };
  readonly links?: VectorLinks;
}

/**
 * Reads a vector file into memory that threads can share. Gives way to the event loop in between.
 *
 * @returns undefined if there is no file, or it is damaged or has another version or origin
 */
export async function readVectorFile(path: string, origin: Partial<VectorFileOrigin>): Promise<VectorFile | undefined> {
  const tree = (await readArrayFile(path, identityOf(origin), { shared: true })) as ReadTree;
  return hasKeys(tree) && hasCodes(tree) ? { ...tree, graphs: checksumsIn(tree) } : undefined;
}

/**
 * Like {@link readVectorFile}: checks the whole file, but keeps the codes of the vectors out of memory.
 */
export async function readVectorKeys(
  path: string,
  origin: Partial<VectorFileOrigin>,
): Promise<VectorFileKeys | undefined> {
  const tree = (await readArrayFile(path, identityOf(origin), {
    shared: true,
    keeps: (name) => KEPT_WITHOUT_CODES.includes(name),
  })) as ReadTree;
  return hasKeys(tree) ? { ...tree, graphs: checksumsIn(tree) } : undefined;
}

const KEPT_WITHOUT_CODES: readonly string[] = [
  'keys',
  'codes.mean',
  'graphs.sizes',
  'graphs.crcs',
  'links.skills',
  'links.places',
];

/** What the beginning of a vector file says. */
export interface VectorFileHead {
  /** Stamp of the state that it was made from. */
  readonly stamp: string;
  /** Whether it has {@link VectorLinks}. */
  readonly hasLinks: boolean;
}

/** @returns undefined if there is no file that can be read */
export function headOfVectorFile(path: string): VectorFileHead | undefined {
  const opened = openArrayFile(path, identityOf({}));
  if (opened === undefined) return undefined;
  closeSync(opened.file);
  const { origin, sections } = opened.header;
  const { stamp } = origin;
  if (typeof stamp !== 'string') return undefined;
  return { stamp, hasLinks: sections.some((section) => section.path === 'links.skills') };
}

/** What was read; whether it is what a vector file holds is not known. */
type ReadTree = Partial<VectorFileTree> | undefined;

/** Whether a key for each vector is there. A scan would trust the numbers of a file with right checksums. */
function hasKeys(tree: ReadTree): tree is Pick<VectorFileTree, 'keys' | 'codes' | 'graphs' | 'links'> {
  const { keys, codes, graphs, links } = tree ?? {};
  if (!(keys instanceof Float64Array) || codes?.count !== keys.length || !areAscending(keys)) return false;
  if (!(codes.mean instanceof Float32Array) || codes.mean.length !== codes.dimensions) return false;
  if (links !== undefined && !areLinks(links, keys.length)) return false;
  if (graphs === undefined) return true;
  const { sizes, crcs } = graphs as Partial<typeof graphs>;
  return sizes instanceof Float64Array && crcs instanceof Uint32Array && sizes.length === crcs.length;
}

function areLinks({ skills, places }: Partial<VectorLinks>, count: number): boolean {
  if (!(skills instanceof Float64Array && places instanceof Uint32Array && skills.length === places.length))
    return false;
  return areAscending(skills) && places.every((place) => place < count);
}

function checksumsIn({ graphs }: Pick<VectorFileTree, 'graphs'>): Checksum[] {
  if (graphs === undefined) return [];
  return Array.from(graphs.sizes, (size, slice) => ({ size, crc: graphs.crcs[slice]! }));
}

function areAscending(keys: Float64Array): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < keys.length; i++) {
    if (!(keys[i]! > last && Number.isSafeInteger(keys[i]))) return false;
    last = keys[i]!;
  }
  return true;
}

function hasCodes({
  codes,
}: {
  readonly codes: Partial<VectorCodes> & Pick<VectorCodes, 'count' | 'dimensions'>;
}): boolean {
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
  writeArrayFilePart(path, identityOf(origin), treeOf(content));
}

function treeOf({ keys, codes, graphs, links }: VectorFile): VectorFileTree {
  const linked = { keys, codes, ...(links !== undefined && { links }) };
  if (graphs.length === 0) return linked;
  const sizes = Float64Array.from(graphs, ({ size }) => size);
  return { ...linked, graphs: { sizes, crcs: Uint32Array.from(graphs, ({ crc }) => crc) } };
}

function identityOf(origin: Partial<VectorFileOrigin>): ArrayFileIdentity {
  return { kind: 'vectors', origin: { ...origin } };
}
