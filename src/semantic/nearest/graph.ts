import type { HierarchicalNSW } from 'hnswlib-node';
import type { Pieces, VectorNumber, VectorPlace } from '../../core/index.js';
import type { Checksum } from './graph-file.js';
import { checkGraphFile } from './graph-file.js';

/** The files of the graphs of a catalogue, by slice. */
export interface GraphFiles {
  readonly paths: readonly string[];
  /** None if there is no graph. */
  readonly checksums: readonly Checksum[];
}

/**
 * Graphs over all vectors of a catalogue: one of each slice, so that they can be built at the same time. They are
 * asked one after the other, and their answers are merged.
 */
export class SlicedGraph {
  readonly #graphs: readonly Graph[];

  private constructor(graphs: readonly Graph[]) {
    this.#graphs = graphs;
  }

  /**
   * Whether each file has its checksum and is the graph over the vectors of its slice, fit to be read.
   *
   * @param keys of all vectors, ascending
   */
  static async areFiles({ paths, checksums }: GraphFiles, keys: Float64Array, dimensions: number): Promise<boolean> {
    if (checksums.length > paths.length) return false;
    for (const [slice, some] of keysBySlice(keys, checksums.length).entries()) {
      if (!(await Graph.isFile(paths[slice]!, checksums[slice]!, some, dimensions))) return false;
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
  static async read(
    library: GraphLibrary,
    { paths, checksums }: GraphFiles,
    keys: Float64Array,
    dimensions: number,
  ): Promise<SlicedGraph | undefined> {
    if (checksums.length === 0 || checksums.length > paths.length) return undefined;
    // Side by side: one is read by the library, in a thread of its own, while another is checked here.
    const read = await Promise.all(
      keysBySlice(keys, checksums.length).map((some, slice) =>
        Graph.read(library, paths[slice]!, checksums[slice]!, some, dimensions),
      ),
    );
    const graphs = read.filter((graph) => graph !== undefined);
    if (graphs.length < read.length) return undefined;
    for (const graph of graphs) graph.searchFor(checksums.length);
    return new SlicedGraph(graphs);
  }

  /**
   * Keys of the vectors nearest to that of a question, nearest first, at most `k`. Each graph is a piece.
   *
   * @param allows whether a key may be found; all keys by default
   */
  *nearest(
    question: Float32Array,
    k: number,
    allows?: (key: VectorNumber) => boolean,
  ): Pieces<readonly VectorNumber[]> {
    const wanted = wantedOfSlice(k, this.#graphs.length);
    const found: Neighbours[] = [];
    for (const graph of this.#graphs) {
      found.push(graph.nearest(question, wanted, allows));
      yield;
    }
    return found.length === 1 ? found[0]!.keys : merge(found, k);
  }
}

interface Neighbours {
  readonly keys: readonly VectorNumber[];
  /** Ascending. */
  readonly distances: readonly number[];
}

/** The `k` nearest of some lists; ties in the order of the lists. */
function merge(lists: readonly Neighbours[], k: number): VectorNumber[] {
  const next = new Uint32Array(lists.length);
  const merged: VectorNumber[] = [];
  while (merged.length < k) {
    let nearest = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let list = 0; list < lists.length; list++) {
      const distance = lists[list]!.distances[next[list]!];
      if (distance !== undefined && distance < least) [nearest, least] = [list, distance];
    }
    if (nearest < 0) break;
    merged.push(lists[nearest]!.keys[next[nearest]!++]!);
  }
  return merged;
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
  const { graphFrom = GRAPH_FROM } = bounds;
  const size = Graph.bytesOf(keys.length, dimensions) * MOST_OF_ESTIMATE;
  return keys.length >= graphFrom && fitMemory([{ size }], bounds) && Graph.takes(keys);
}

/** Whether graphs with files of these sizes are held in memory. */
export function fitMemory(
  graphs: readonly Pick<Checksum, 'size'>[],
  { graphBytes = GRAPH_BYTES }: GraphBounds,
): boolean {
  return graphs.reduce((sum, { size }) => sum + size, 0) <= graphBytes;
}

/** The part of hnswlib-node that this library uses. */
export type GraphLibrary = { readonly HierarchicalNSW: typeof HierarchicalNSW };

/**
 * Parameters of hnswlib: `M` and `efConstruction`. Measured over 94,254 skills and 300 questions with 100 candidates:
 * recall@10 .9947 by one graph, .9943 by two. With an `efConstruction` of 150 one graph has .9967 and takes half as
 * long again to build. With an `M` of 16 two graphs have .9913 and are built hardly faster. A graph of other parameters
 * is built anew.
 */
const EDGES = 20;
const BUILD_BREADTH = 100;

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
  try {
    return (await import('hnswlib-node')).default;
  } catch {
    return undefined;
  }
}

/**
 * A graph of near neighbours over vectors, by hnswlib (Malkov and Yashunin, Efficient and robust approximate nearest
 * neighbor search using hierarchical navigable small world graphs, 2018). The labels of the vectors are their numbers
 * in the store, so that a graph can be updated.
 */
export class Graph {
  readonly #graph: HierarchicalNSW;

  private constructor(graph: HierarchicalNSW) {
    this.#graph = graph;
  }

  /**
   * The checksum of a file that is a graph over these vectors, fit to be read; undefined of any other file.
   *
   * @param keys of the vectors, ascending
   */
  static checksumOf(path: string, keys: Float64Array, dimensions: number): Promise<Checksum | undefined> {
    return checkGraphFile(path, { keys, dimensions, edges: EDGES, breadth: BUILD_BREADTH });
  }

  /** Whether a file has a checksum and is a graph over these vectors. */
  static async isFile(path: string, checksum: Checksum, keys: Float64Array, dimensions: number): Promise<boolean> {
    const found = await Graph.checksumOf(path, keys, dimensions);
    return found?.size === checksum.size && found.crc === checksum.crc;
  }

  /**
   * Reads a graph from a file. A wrong file may crash the process, so it is checked before.
   *
   * @param keys of the vectors that are in the graph and not deleted, ascending
   * @returns undefined if the file is not whole, cannot be read, or is no graph over these vectors
   */
  static async read(
    library: GraphLibrary,
    path: string,
    checksum: Checksum,
    keys: Float64Array,
    dimensions: number,
  ): Promise<Graph | undefined> {
    if (!(await Graph.isFile(path, checksum, keys, dimensions))) return undefined;
    try {
      const graph = new library.HierarchicalNSW('ip', dimensions);
      await graph.readIndex(path);
      return new Graph(graph);
    } catch {
      return undefined;
    }
  }

  /** Whether vectors with these keys can be in a graph. @param keys ascending */
  static takes(keys: Float64Array): boolean {
    return (keys.at(-1) ?? 0) <= MAX_LABEL;
  }

  /** Bytes of the file of a graph, and of memory, but for the few vectors that have edges on higher levels. */
  static bytesOf(count: number, dimensions: number): number {
    // The values; on the lowest level twice the edges and their number; the label.
    return count * (4 * dimensions + 4 * (2 * EDGES + 1) + 8);
  }

  static empty(library: GraphLibrary, dimensions: number): Graph {
    const graph = new library.HierarchicalNSW('ip', dimensions);
    graph.initIndex(1, EDGES, BUILD_BREADTH, SEED);
    return new Graph(graph);
  }

  /**
   * What to do so that the graph holds the vectors with these keys and no others.
   *
   * @param former keys of the vectors that are in the graph and not deleted
   * @returns the places in `keys` of the vectors to add, and the keys to remove; undefined if it is better to begin
   *   with an empty graph
   */
  plan(
    former: Float64Array,
    keys: Float64Array,
  ): { readonly add: readonly VectorPlace[]; readonly remove: readonly VectorNumber[] } | undefined {
    const listed = new Set(this.#graph.getIdsList());
    const gone = new Set(former);
    const add: VectorPlace[] = [];
    for (const [place, key] of keys.entries()) {
      if (gone.delete(key)) continue;
      // The vector was deleted and is back: an older copy of the catalogue has replaced it.
      if (listed.has(key)) return undefined;
      add.push(place);
    }
    const deleted = listed.size - former.length + gone.size;
    if (deleted > MAX_DELETED * (listed.size + add.length)) return undefined;
    return { add, remove: [...gone] };
  }

  /** Makes room for some more vectors. */
  grow(more: number): void {
    this.#graph.resizeIndex(Math.max(1, this.#graph.getCurrentCount() + more));
  }

  add(key: VectorNumber, vector: Float32Array): void {
    this.#graph.addPoint(Array.from(vector), key);
  }

  remove(key: VectorNumber): void {
    this.#graph.markDelete(key);
  }

  write(path: string): void {
    this.#graph.writeIndexSync(path);
  }

  /** Sets how far a search goes: less far where several graphs are asked. @param slices number of graphs, from 1 */
  searchFor(slices: number): void {
    this.#graph.setEf(SEARCH_BREADTHS[slices - 1] ?? SEARCH_BREADTHS.at(-1)!);
  }

  /**
   * Keys of the vectors nearest to that of a question, nearest first, at most `k`, and their distances.
   *
   * @param allows whether a key may be found; all keys by default
   */
  nearest(
    question: Float32Array,
    k: number,
    allows?: (key: VectorNumber) => boolean,
  ): { readonly keys: VectorNumber[]; readonly distances: number[] } {
    const found = this.#graph.searchKnn(Array.from(question), Math.min(k, this.#graph.getCurrentCount()), allows);
    return { keys: found.neighbors, distances: found.distances };
  }
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
