import type { VectorExchange } from '../indexing/index.js';
import { indexOrWarn, indexWhenDue } from '../indexing/index.js';
import type { LoadWarning } from './load-report.js';

/** How the end of a load is followed and stopped. */
export interface IndexingProgress {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
  readonly onWarning: (warning: LoadWarning) => void;
}

/** Where a load writes: a catalogue of its own, or one whose differences go into a catalogue that others share. */
export interface LoadTarget {
  /** Path of the file that is written, resolved; it need not exist. */
  readonly database: string;
  /** What messages call the catalogue. */
  readonly shown: string;
  /** The folder that paths of skills are stored relative to; undefined for that of the file. */
  readonly home: string | undefined;
  /** Where vectors are that other loads have made; undefined if there are no others. */
  readonly vectors: VectorExchange | undefined;
  /** Hands on what the file has now. If the process is killed before it returns, the next run reports the load. */
  readonly handOn: (() => Promise<void>) | undefined;
  /** Brings the derived files up to date after a load of whole sources. */
  index(progress: IndexingProgress): Promise<void>;
  /** Brings them up to date after a small change, if that is due. */
  indexWhenDue(progress: IndexingProgress): Promise<void>;
}

/** A catalogue of its own, in a file. */
export function fileTarget(database: string): LoadTarget {
  return {
    database,
    shown: database,
    home: undefined,
    vectors: undefined,
    handOn: undefined,
    index: (progress) => indexOrWarn(database, progress),
    indexWhenDue: (progress) => indexWhenDue(database, progress),
  };
}
