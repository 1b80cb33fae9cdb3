/** A row that could not become a skill. */
export interface RejectedRow {
  /** The source; for a folder, with the path of the file inside it. */
  readonly origin: string;
  /** Line of the row, from 1; absent if the source has no lines. */
  readonly line?: number;
  readonly reason: string;
}

/** Something that was corrected or left out. */
export interface LoadWarning {
  readonly origin: string;
  readonly line?: number;
  readonly message: string;
}

/** Problems of the rows of a load. */
export interface RowProblems {
  readonly rejected: readonly RejectedRow[];
  readonly warnings: readonly LoadWarning[];
}

/** A source that broke while it was read. What came before is loaded. */
export interface FailedSource {
  readonly origin: string;
  readonly reason: string;
}

/** What a load did. The first four are numbers of skills. */
export interface LoadReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Number of texts that got a vector. */
  readonly embedded: number;
  /** Number of skills that a classifier gave categories, because their source gives none. */
  readonly classified: number;
  /** The first ones; see `BuildOptions.maxListedProblems`. */
  readonly warnings: readonly LoadWarning[];
  /** Number of all warnings, listed or not. */
  readonly warningCount: number;
  /** The first ones; see `BuildOptions.maxListedProblems`. */
  readonly rejected: readonly RejectedRow[];
  /** Number of all rejected rows, listed or not. */
  readonly rejectedCount: number;
  readonly failed: readonly FailedSource[];
  /** Wall-clock time by phase. */
  readonly seconds: {
    readonly reading: number;
    readonly storing: number;
    /** With classifying. */
    readonly embedding: number;
    readonly publishing: number;
    /** Building the derived files, after the catalogue was published. */
    readonly indexing: number;
  };
}
