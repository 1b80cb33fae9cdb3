/** What the thread that collects the words of a catalogue is started with. */
export interface KeywordsJob {
  readonly catalogue: string;
  /** Stamp of the state to read. */
  readonly stamp: string;
  /** Whether the thread writes the keyword file. Otherwise it sends the words. */
  readonly write: boolean;
}

/** Documents whose words several threads collect. Each thread takes the next few whenever it is done with some. */
export interface SharedDocuments {
  readonly catalogue: string;
  /** Stamp of the state to read. */
  readonly stamp: string;
  /** The documents, ascending. In shared memory. */
  readonly documents: Uint32Array;
  /** The number of the skill of each document. In shared memory. */
  readonly skills: Float64Array;
  /** Number of documents taken, and number of documents done. In shared memory. */
  readonly counts: Int32Array;
}
