import type { Pieces, VectorNumber } from '../../core/index.js';
import type { Checksum } from './file-checksum.js';
import { Graph, type GraphLibrary } from './graph.js';
import { keysBySlice, wantedOfSlice } from './slices.js';

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
