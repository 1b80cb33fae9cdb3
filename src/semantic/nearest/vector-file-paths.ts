/** Paths of the files that are derived from the vectors of a catalogue. */
export interface VectorFilePaths {
  /** The codes. */
  readonly vectors: string;
  /** The graphs of near neighbours, by slice. */
  readonly graphs: readonly string[];
}
