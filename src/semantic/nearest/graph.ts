import type { HierarchicalNSW } from 'hnswlib-node';
import type { VectorNumber, VectorPlace } from '../../core/index.js';
import type { Checksum } from './file-checksum.js';
import { isGraphFile } from './graph-file.js';

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
   * Whether a file has a checksum and is a graph over these vectors, fit to be read.
   *
   * @param keys of the vectors, ascending
   */
  static isFile(path: string, checksum: Checksum, keys: Float64Array, dimensions: number): Promise<boolean> {
    return isGraphFile(path, checksum, { keys, dimensions, edges: EDGES, breadth: BUILD_BREADTH });
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
