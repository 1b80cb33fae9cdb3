import type { Readable } from 'node:stream';
import { type Names, namesOf } from '../check-arguments.js';
import type { ModelOptions } from '../semantic/model-options.js';

/** Rows from a program: anything that can be iterated, with a name for reports and pruning. */
export interface RowSource {
  /** Must differ from the names of other sources, and stay the same from load to load. */
  readonly name: string;
  /** Objects with the fields of a skill. Each is checked like a line of a file. */
  readonly rows: Iterable<unknown> | AsyncIterable<unknown>;
}

/** What a load reads: a path, `-` for standard input, or rows. */
export type Source = string | RowSource | Iterable<unknown> | AsyncIterable<unknown>;

/** Defaults for facts that a folder of SKILL.md files does not contain: see the fields of `Skill`. */
export interface FolderDefaults {
  /** Author of skills that are not in a git work tree with a remote. */
  readonly author?: string | undefined;
  /** Their `codehostUrl` is this address, `/`, and the path inside the source. */
  readonly codehostBase?: string | undefined;
  /** The `skillUrl` of every skill is this address, `/`, and the slug of its location: the id that it would get. */
  readonly skillUrlBase?: string | undefined;
}

export interface BuildOptions extends FolderDefaults, ModelOptions {
  /** The catalogue's file. It is created if it does not exist. */
  readonly database: string;
  /** Read in this order; at least one. */
  readonly sources: readonly Source[];
  /**
   * Whether to remove skills that came from these sources earlier and are no longer in them. If a source failed or held
   * no skill, nothing is removed. @default false
   */
  readonly prune?: boolean | undefined;
  /**
   * Whether to make vectors for semantic search, for every text that has none yet. With `false`, present vectors stay.
   *
   * @default true, if the model runtime is installed
   */
  readonly semantic?: boolean | undefined;
  /** Called now and then, at most about ten times a second. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Stops the load between two rows. A later load of the same sources resumes it. */
  readonly signal?: AbortSignal | undefined;
  /** Read for the source `-`. @default process.stdin */
  readonly stdin?: Readable | undefined;
}

export const BUILD_OPTIONS: Names = namesOf<BuildOptions>({
  database: true,
  sources: true,
  prune: true,
  semantic: true,
  model: true,
  embedder: true,
  author: true,
  codehostBase: true,
  skillUrlBase: true,
  onProgress: true,
  signal: true,
  stdin: true,
});

export interface LoadProgress {
  /** In this order. `embedding` and `indexing` come only if there is something to do. */
  readonly phase: 'reading' | 'embedding' | 'publishing' | 'indexing';
  /** The source being read. */
  readonly source: string;
  /** Rows read so far, good or not. */
  readonly rows: number;
  /** Bytes read so far of all file sources, and the sum of their sizes. 0 if no size is known. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Texts embedded or entries indexed so far, and their total. 0 in the other phases. */
  readonly done: number;
  readonly total: number;
}
