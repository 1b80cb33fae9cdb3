import type { Checksum } from './file-checksum.js';
import type { VectorSet } from './vector-codes.js';

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
