import type { Checksum } from './file-checksum.js';
import { Graph } from './graph.js';

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
