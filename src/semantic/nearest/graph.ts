import type { HierarchicalNSW } from 'hnswlib-node';
import type { Pieces, VectorNumber, VectorPlace } from '../../core/index.js';
import { BUILD_BREADTH, type Checksum, checkGraphFile, EDGES } from './graph-file.js';

/** The files of the graphs of a catalogue, by slice. */
export interface GraphFiles {
  readonly paths: readonly string[];
  /** None if there is no graph. */
  readonly checksums: readonly Checksum[];
}

/**
 * A graph of near neighbours over vectors, by hnswlib (Malkov and Yashunin, Efficient and robust approximate nearest
 * neighbor search using hierarchical navigable small world graphs, 2018). The labels of the vectors are their numbers
 * in the store, so that a graph can be updated.
 */
export type Graph = HierarchicalNSW;

/**
 * Whether each file has its checksum and is the graph over the vectors of its slice, fit to be read.
 *
 * @param keys of all vectors, ascending
 */
export async function areGraphFiles(
  { paths, checksums }: GraphFiles,
  keys: Float64Array,
  dimensions: number,
): Promise<boolean> {
  if (checksums.length > paths.length) return false;
  for (const [slice, some] of keysBySlice(keys, checksums.length).entries()) {
    if (!(await isGraphFile(paths[slice]!, checksums[slice]!, some, dimensions))) return false;
  }
  return true;
}

/**
 * Reads the graphs of all slices.
 *
 * @param keys of the vectors that are in the graphs and not deleted, ascending
 * @returns undefined if there is none, or one of the files is not whole, cannot be read, or is no graph over these
 *   vectors
 */
export async function readGraphs(
  library: GraphLibrary,
  { paths, checksums }: GraphFiles,
  keys: Float64Array,
  dimensions: number,
): Promise<readonly Graph[] | undefined> {
  if (checksums.length === 0 || checksums.length > paths.length) return undefined;
  // Side by side: one is read by the library, in a thread of its own, while another is checked here.
  const read = await Promise.all(
    keysBySlice(keys, checksums.length).map((some, slice) =>
      readGraph(library, paths[slice]!, checksums[slice]!, some, dimensions),
    ),
  );
  const graphs = read.filter((graph) => graph !== undefined);
  if (graphs.length < read.length) return undefined;
  // Each goes less far where several are asked.
  for (const graph of graphs) graph.setEf(SEARCH_BREADTHS[graphs.length - 1] ?? SEARCH_BREADTHS.at(-1)!);
  return graphs;
}

/**
 * Reads a graph from a file. A wrong file may crash the process, so it is checked before.
 *
 * @param keys of the vectors that are in the graph and not deleted, ascending
 * @returns undefined if the file is not whole, cannot be read, or is no graph over these vectors
 */
export async function readGraph(
  library: GraphLibrary,
  path: string,
  checksum: Checksum,
  keys: Float64Array,
  dimensions: number,
): Promise<Graph | undefined> {
  if (!(await isGraphFile(path, checksum, keys, dimensions))) return undefined;
  try {
    const graph = new library.HierarchicalNSW('ip', dimensions);
    await graph.readIndex(path);
    return graph;
  } catch {
    return undefined;
  }
}

async function isGraphFile(path: string, checksum: Checksum, keys: Float64Array, dimensions: number): Promise<boolean> {
  const found = await checkGraphFile(path, keys, dimensions);
  return found?.size === checksum.size && found.crc === checksum.crc;
}

/**
 * Keys of the vectors nearest to that of a question in graphs of all slices, nearest first, at most `k`. Each graph is
 * a piece.
 *
 * @param allows whether a key may be found; all keys by default
 */
export function* nearestIn(
  graphs: readonly Graph[],
  question: Float32Array,
  k: number,
  allows?: (key: VectorNumber) => boolean,
): Pieces<readonly VectorNumber[]> {
  const wanted = wantedOfSlice(k, graphs.length);
  const asked = Array.from(question);
  const found: { readonly key: VectorNumber; readonly distance: number }[] = [];
  for (const graph of graphs) {
    const { neighbors, distances } = graph.searchKnn(asked, Math.min(wanted, graph.getCurrentCount()), allows);
    for (const [i, key] of neighbors.entries()) found.push({ key, distance: distances[i]! });
    yield;
  }
  // Sorting is stable: ties stay in the order of the slices.
  if (graphs.length > 1) found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, k).map(({ key }) => key);
}

export function emptyGraph(library: GraphLibrary, dimensions: number): Graph {
  const graph = new library.HierarchicalNSW('ip', dimensions);
  graph.initIndex(1, EDGES, BUILD_BREADTH, SEED);
  return graph;
}

/**
 * What to do so that a graph holds the vectors with these keys and no others.
 *
 * @param former keys of the vectors that are in the graph and not deleted
 * @returns the places in `keys` of the vectors to add, and the keys to remove; undefined if it is better to begin with
 *   an empty graph
 */
export function planUpdate(
  graph: Graph,
  former: Float64Array,
  keys: Float64Array,
): { readonly add: readonly VectorPlace[]; readonly remove: readonly VectorNumber[] } | undefined {
  const listed = new Set(graph.getIdsList());
  const gone = new Set(former);
  const add: VectorPlace[] = [];
  for (const [place, key] of keys.entries()) {
    if (gone.delete(key)) continue;
    // The vector was deleted and is back: an older copy of the catalogue has replaced it.
    if (listed.has(key)) return undefined;
    add.push(place);
  }
  const deleted = listed.size - former.length + gone.size;
  return deleted > MAX_DELETED * (listed.size + add.length) ? undefined : { add, remove: [...gone] };
}

/** Number of vectors from which a graph is built. A scan of fewer takes two or three milliseconds and is exact. */
const GRAPH_FROM = 10_000;

/**
 * Bytes of graphs that are held in memory: 470,000 vectors of 384 values. Graphs hold the vectors as they are stored,
 * so those of a million would take 1.8 GB. A scan of as many needs the codes alone: 440 MB, and a twentieth of a second
 * in a thread.
 */
const GRAPH_BYTES: number = 768 * 2 ** 20;

/**
 * Files of graphs are so many times as large as can be told beforehand, at most: which points have upper levels is
 * chance.
 */
const MOST_OF_ESTIMATE = 1.05;

/** For which vectors there is a graph. */
export interface GraphBounds {
  /** Number of vectors from which there is one. @default 10,000 */
  readonly graphFrom?: number | undefined;
  /** Bytes up to which there is one. @default 768 MiB */
  readonly graphBytes?: number | undefined;
}

/**
 * Whether vectors should have graphs.
 *
 * @param keys of the vectors, ascending
 */
export function wantsGraph(keys: Float64Array, dimensions: number, bounds: GraphBounds): boolean {
  const { graphFrom = GRAPH_FROM, graphBytes = GRAPH_BYTES } = bounds;
  // The values; on the lowest level twice the edges and their number; the label.
  const size = keys.length * (4 * dimensions + 4 * (2 * EDGES + 1) + 8) * MOST_OF_ESTIMATE;
  return keys.length >= graphFrom && size <= graphBytes && (keys.at(-1) ?? 0) <= MAX_LABEL;
}

/** The part of hnswlib-node that this library uses. */
export type GraphLibrary = { readonly HierarchicalNSW: typeof HierarchicalNSW };

/**
 * The parameter `ef`, by the number of slices less one. Together the graphs look about as far as one alone. Each of
 * them has to find its share of the nearest only. Two with 200 have a recall@10 of .9953.
 */
const SEARCH_BREADTHS = [400, 180, 140, 120] as const;

/** Fixed, so that the same vectors in the same order give the same graph. */
const SEED = 100;

/** Share of deleted vectors above which a graph is built again rather than updated. */
const MAX_DELETED = 0.2;

/** hnswlib has 32-bit labels. */
const MAX_LABEL = 2 ** 32 - 1;

/** Machines whose files of hnswlib have another layout than the one that is checked. */
const OTHER_LAYOUT: readonly string[] = ['arm', 'ia32', 'mips', 'mipsel'];

/** @returns undefined if the package, which is optional, cannot be loaded, or its files cannot be checked here */
export async function loadGraphLibrary(): Promise<GraphLibrary | undefined> {
  if (OTHER_LAYOUT.includes(process.arch)) return undefined;
  return (await import('hnswlib-node').catch(() => undefined))?.default;
}

/**
 * The slice of a vector, from 0. It depends on the number of the vector alone, so a vector stays in its slice from load
 * to load. Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): slices are of about
 * the same size, also where numbers are far apart by the same step.
 *
 * @param slices number of slices, 1 to 65,536
 */
export function sliceOf(key: VectorNumber, slices: number): number {
  return ((Math.imul(key, 0x9e3779b1) >>> 16) * slices) >>> 16;
}

/** The keys of each slice, in the order in which they are given. */
export function keysBySlice(keys: Float64Array, slices: number): Float64Array[] {
  if (slices === 1) return [keys];
  return Array.from({ length: slices }, (_, slice) => keys.filter((key) => sliceOf(key, slices) === slice));
}

/**
 * Number of results to ask of each slice, so that their union has the nearest `k` of all. A slice has a share of these
 * as chance has it: this is six standard deviations above the mean.
 */
export function wantedOfSlice(k: number, slices: number): number {
  const mean = k / slices;
  return Math.min(k, Math.ceil(mean + 6 * Math.sqrt(mean)));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The numbers 0 to `count - 1` in an order in which neighbours are far apart. The order is always the same: steps of
 * about the golden section of `count`.
 *
 * Vectors next to each other come from the same source and are alike. If they are put into a graph of near neighbours
 * in that order, it finds them less often: recall@10 over 94,254 skills and 750 questions is .9915 instead of .9935.
 * Half as much time again for building would make up for that.
 */
export function mixedOrder(count: number): Uint32Array {
  let step = Math.max(1, Math.round(count * GOLDEN));
  while (greatestCommonDivisor(step, count) > 1) step += 1;
  const order = new Uint32Array(count);
  for (let i = 0, number = 0; i < count; i++) {
    order[i] = number;
    number = (number + step) % count;
  }
  return order;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
