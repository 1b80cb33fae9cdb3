import { closeSync, rmSync } from 'node:fs';
import {
  type ArrayFileIdentity,
  LITTLE_ENDIAN,
  openArrayFile,
  partOf,
  readArrayFile,
  runJob,
  type VectorSet,
  writeArrayFilePart,
} from '../../core/index.js';
import type { GraphBounds } from './graph.js';
import type { Checksum } from './graph-file.js';
import type { VectorCodes } from './vector-codes.js';

/** Which files, and the state and the model that they must belong to. */
export interface VectorFilesOptions extends VectorFileOrigin, GraphBounds {
  readonly files: VectorFilePaths;
}

export interface BuildVectorFilesOptions extends VectorFilesOptions {
  /** `values` must be in memory that threads can share. */
  readonly vectors: VectorSet;
  /** Which skill has which vector: spares who opens the files to look that up in the catalogue. */
  readonly links?: VectorLinks | undefined;
  /**
   * Number of graphs, if there are none to be updated. Each is built in a thread of its own, and asked by each
   * question.
   * @default one for each core, at most one for each path
   */
  readonly slices?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of vectors put into the graph so far, and the number of vectors to put into it. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Whether all files that can be built are there, are whole, and belong to the state and the model. */
export async function vectorFilesAreCurrent(options: VectorFilesOptions): Promise<boolean> {
  const { files, stamp, model } = options;
  const file = await readVectorKeys(files.vectors, { stamp, model });
  if (file === undefined) return false;
  const { loadGraphLibrary, wantsGraph } = await import('./graph.js');
  if (file.graphs.length > 0) return areGraphsWhole(files, file);
  const shouldHaveGraph = wantsGraph(file.keys, file.codes.dimensions, options);
  return !shouldHaveGraph || (await loadGraphLibrary()) === undefined;
}

/** Whether the vector file, and the graphs that it names, are whole, of whatever state and model. */
export async function areWholeVectorFiles(files: VectorFilePaths): Promise<boolean> {
  const file = await readVectorKeys(files.vectors, {});
  return file !== undefined && (file.graphs.length === 0 || areGraphsWhole(files, file));
}

async function areGraphsWhole(files: VectorFilePaths, { graphs, keys, codes }: VectorFileKeys): Promise<boolean> {
  const { areGraphFiles } = await import('./graph.js');
  return areGraphFiles({ paths: files.graphs, checksums: graphs }, keys, codes.dimensions);
}

/**
 * Builds the files that are derived from a catalogue's vectors: codes to scan, and for many vectors graphs. Graphs of
 * an earlier state are updated. All of it happens in threads.
 *
 * Each file is written under another name, synced and renamed, the codes last. The codes hold the checksums of their
 * graphs, so a graph that does not belong to them is noticed.
 *
 * @throws Error of the file system
 * @throws the signal's reason when aborted; the files are left as they were
 */
export async function buildVectorFiles(options: BuildVectorFilesOptions): Promise<void> {
  const { signal, onProgress, ...data } = options;
  if (!LITTLE_ENDIAN) return;
  // Native code runs in the thread.
  await runJob<BuildVectorsJob, void>(import.meta.url, 'build-thread', { data, signal, onProgress, stop: 'ask' });
}

/** Removes the files that are derived from a catalogue's vectors, and what a killed build left of them. */
export function removeVectorFiles({ vectors, graphs }: VectorFilePaths): void {
  for (const path of [vectors, ...graphs]) {
    rmSync(path, { force: true });
    rmSync(partOf(path), { force: true });
  }
}

/** Paths of the files that are derived from the vectors of a catalogue. */
export interface VectorFilePaths {
  /** The codes. */
  readonly vectors: string;
  /** The graphs of near neighbours, by slice. */
  readonly graphs: readonly string[];
}

/** What the thread that builds the vector files is started with. */
export type BuildVectorsJob = Omit<BuildVectorFilesOptions, 'signal' | 'onProgress'>;

/** What a thread that builds the graph of one slice is started with. */
export interface BuildGraphJob {
  /** Path of the graph. It is written to `partOf(path)`. */
  readonly path: string;
  /** All vectors, of whichever slice. */
  readonly vectors: VectorSet;
  readonly slice: number;
  /** Number of slices. */
  readonly slices: number;
  /** The graph at the path, if it may be updated: its checksum, and the keys of its slice in that state. */
  readonly former: { readonly checksum: Checksum; readonly keys: Float64Array } | undefined;
}

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

/**
 * Reads a vector file into memory that threads can share. Gives way to the event loop in between.
 *
 * @returns undefined if there is no file, or it is damaged or has another version or origin
 */
export async function readVectorFile(path: string, origin: Partial<VectorFileOrigin>): Promise<VectorFile | undefined> {
  const tree = await readArrayFile(path, identityOf(origin), { shared: true });
  const file = wholeFile(tree);
  return file !== undefined && hasCodes(file.codes) ? (file as VectorFile) : undefined;
}

/**
 * Like {@link readVectorFile}: checks the whole file, but keeps the codes of the vectors out of memory.
 */
export async function readVectorKeys(
  path: string,
  origin: Partial<VectorFileOrigin>,
): Promise<VectorFileKeys | undefined> {
  const keeps = (name: string): boolean => !name.startsWith('codes.') || name === 'codes.mean';
  return wholeFile(await readArrayFile(path, identityOf(origin), { shared: true, keeps }));
}

/** The stamp of the state that a vector file was made from; undefined if there is no file that can be read. */
export function stampOfVectorFile(path: string): string | undefined {
  const opened = openArrayFile(path, identityOf({}));
  if (opened === undefined) return undefined;
  closeSync(opened.file);
  const { stamp } = opened.header.origin;
  return typeof stamp === 'string' ? stamp : undefined;
}

/**
 * The content of a file, if a key for each vector is there and the numbers are those of a vector file. A scan would
 * trust the numbers of a file with right checksums.
 */
function wholeFile(tree: object | undefined): VectorFileKeys | undefined {
  const { keys, codes, graphs: told = {}, links } = (tree ?? {}) as Partial<VectorFileKeys>;
  if (!(keys instanceof Float64Array) || codes?.count !== keys.length || !areAscending(keys)) return undefined;
  if (!(codes.mean instanceof Float32Array) || codes.mean.length !== codes.dimensions) return undefined;
  if (links !== undefined && !areLinks(links, keys.length)) return undefined;
  const graphs = Object.values(told) as Partial<Checksum>[];
  if (!graphs.every(({ size, crc }) => typeof size === 'number' && typeof crc === 'number')) return undefined;
  return { keys, codes, graphs: graphs as Checksum[], links };
}

function areLinks({ skills, places }: Partial<VectorLinks>, count: number): boolean {
  const areArrays = skills instanceof Float64Array && places instanceof Uint32Array;
  if (!areArrays || skills.length !== places.length) return false;
  return areAscending(skills) && places.every((place) => place < count);
}

function areAscending(keys: Float64Array): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < keys.length; i++) {
    if (!(keys[i]! > last && Number.isSafeInteger(keys[i]))) return false;
    last = keys[i]!;
  }
  return true;
}

function hasCodes({ count, dimensions, signs, bytes, scales }: Partial<VectorCodes>): boolean {
  return (
    signs instanceof Uint32Array &&
    signs.length === count! * Math.ceil(dimensions! / 32) &&
    bytes instanceof Int8Array &&
    bytes.length === count! * dimensions! &&
    scales instanceof Float32Array &&
    scales.length === count
  );
}

/** Writes the file of `partOf(path)`. The caller renames it. */
export function writeVectorFilePart(path: string, origin: VectorFileOrigin, content: VectorFile): void {
  const { keys, codes, graphs, links } = content;
  const checksums = Object.fromEntries(graphs.map((checksum, slice) => [`slice${slice}`, checksum]));
  const linked = links === undefined ? {} : { links };
  writeArrayFilePart(path, identityOf(origin), { keys, codes, graphs: checksums, ...linked });
}

function identityOf(origin: Partial<VectorFileOrigin>): ArrayFileIdentity {
  return { kind: 'vectors', origin: { ...origin } };
}
