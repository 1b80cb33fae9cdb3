/** Paths of the files that are derived from the vectors of a catalogue. */
export interface VectorFilePaths {
  /** The codes. */
  readonly vectors: string;
  /** The graph of near neighbours. */
  readonly graph: string;
}
