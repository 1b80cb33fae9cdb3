/** A row that could not become a skill. */
export interface RejectedRow {
  /** The source, for a folder with the file inside it. */
  readonly origin: string;
  /** From 1; absent where lines mean nothing. */
  readonly line?: number;
  readonly reason: string;
}

/** Something that was mended or passed over. */
export interface LoadWarning {
  readonly origin: string;
  readonly line?: number;
  readonly message: string;
}

/** What became of rows that are not all stored as they came. */
export interface RowProblems {
  readonly rejected: readonly RejectedRow[];
  readonly warnings: readonly LoadWarning[];
}

/** A source that broke while it was read; what came before is loaded. */
export interface FailedSource {
  readonly origin: string;
  readonly reason: string;
}

/** What a load did, in skills. */
export interface LoadReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Texts that got a vector. */
  readonly embedded: number;
  readonly warnings: readonly LoadWarning[];
  readonly rejected: readonly RejectedRow[];
  readonly failed: readonly FailedSource[];
  /** Wall-clock time by phase. */
  readonly seconds: {
    readonly reading: number;
    readonly storing: number;
    readonly embedding: number;
    readonly publishing: number;
    /** Building the index of nearest neighbours, after the catalogue was published. */
    readonly indexing: number;
  };
}
