import type { VectorSet } from './vector-codes.js';
import type { VectorLinks } from './vector-file.js';
import type { VectorFilePaths } from './vector-file-paths.js';
import type { GraphBounds } from './wants-graph.js';

/** What the thread that builds the vector files is started with. */
export interface BuildVectorsJob extends GraphBounds {
  readonly files: VectorFilePaths;
  readonly stamp: string;
  readonly model: string;
  readonly vectors: VectorSet;
  readonly links: VectorLinks | undefined;
  /** Number of slices of a new graph, 1 to the number of its paths; by default one for each core. */
  readonly slices: number | undefined;
}
