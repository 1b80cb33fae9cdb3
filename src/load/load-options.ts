import type { Readable } from 'node:stream';
import type { ModelOptions } from '../semantic/model-options.js';

/** Rows from a program: anything that can be iterated, with a name that reports and pruning use. */
export interface RowSource {
  /** Tells this source from others. */
  readonly name: string;
  /** Objects with the fields of a skill; each is checked like a line of a file. */
  readonly rows: Iterable<unknown> | AsyncIterable<unknown>;
}

/** What a load reads: a path, `-` for standard input, or rows. */
export type Source = string | RowSource | Iterable<unknown> | AsyncIterable<unknown>;

/** What stands in for facts that a folder of SKILL.md files does not tell: see the fields of `Skill`. */
export interface FolderDefaults {
  /** Author of skills that are in no git work tree with a remote. */
  readonly author?: string | undefined;
  /** Their `codehostUrl` is this, `/`, and the path inside the source. */
  readonly codehostBase?: string | undefined;
  /** Their `skillUrl` is this, `/`, and the path inside the source. */
  readonly skillUrlBase?: string | undefined;
}

export interface BuildOptions extends FolderDefaults, ModelOptions {
  /** The catalogue's file; made if it does not exist. */
  readonly database: string;
  /** Read in this order; at least one. */
  readonly sources: readonly Source[];
  /**
   * Whether skills that came from these sources earlier and are no longer in them are removed. Nothing is, when a
   * source failed or held no skill. @default false
   */
  readonly prune?: boolean | undefined;
  /**
   * Whether vectors are made for semantic search, of every text that has none yet. Without it those there are stay.
   *
   * @default true, or as far as the model runtime is installed
   */
  readonly semantic?: boolean | undefined;
  /** Called now and then, at most some ten times a second. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Stops the load between two rows; a later load of the same sources goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** What `-` reads. @default process.stdin */
  readonly stdin?: Readable | undefined;
}

export interface LoadProgress {
  /** In this order; `embedding` and `indexing` only where there is something to do. */
  readonly phase: 'reading' | 'embedding' | 'publishing' | 'indexing';
  /** The source being read. */
  readonly source: string;
  /** Rows read so far, good or not. */
  readonly rows: number;
  /** Bytes of all file sources read so far, and their sum; 0 where sizes are not known. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Texts embedded so far, or vectors put into the index, and their number; 0 in the other phases. */
  readonly done: number;
  readonly total: number;
}
