import type { Readable } from 'node:stream';
import type { ModelOptions } from '../semantic/index.js';
import type { FoundFolders, InstalledOptions } from '../sources/index.js';

/** Rows from a program: anything that can be iterated, with a name for reports and pruning. */
export interface RowSource {
  /** Must differ from the names of other sources, and stay the same from load to load. */
  readonly name: string;
  /** Objects with the fields of a skill. Each is checked like a line of a file. */
  readonly rows: Iterable<unknown> | AsyncIterable<unknown>;
}

/**
 * The skills that the agents of this machine have, wherever these look for them. At most one source of a load.
 *
 * Git is asked nothing about them: a skill has its folder as its origin.
 */
export interface InstalledSource {
  /** Where they are looked for. `{}` is this machine, and the project of the working folder. */
  readonly installed: InstalledOptions;
}

/** Installed skills whose folders somebody has found already, with the same options. */
export interface FoundInstalledSource extends InstalledSource {
  readonly found: FoundFolders;
}

/** What a load reads: a path, `-` for standard input, what is installed on this machine, or rows. */
export type Source = string | InstalledSource | RowSource | Iterable<unknown> | AsyncIterable<unknown>;

/** Defaults for facts that a folder of SKILL.md files does not contain: see the fields of `Skill`. */
export interface FolderDefaults {
  /** Author of skills that are not in a git work tree with a remote. */
  readonly author?: string | undefined;
  /** Their `codehostUrl` is this address, `/`, and the path inside the source. */
  readonly codehostBase?: string | undefined;
  /** The `skillUrl` of every skill is this address, `/`, and the slug of its location: the id that it would get. */
  readonly skillUrlBase?: string | undefined;
}

/** How a catalogue in PostgreSQL is reached from this machine. */
export interface SharedOptions {
  /**
   * The folder of its local copy, and of what a load needs beside it. Several processes may share it.
   *
   * @default one in the user's cache folder, named after the database
   */
  readonly cache?: string | undefined;
  /**
   * A file whose first line is the password; read for each connection.
   *
   * @default `PGPASSWORD`, or the password file of PostgreSQL's own programs
   */
  readonly passwordFile?: string | undefined;
}

export interface BuildOptions extends FolderDefaults, ModelOptions, SharedOptions {
  /**
   * The catalogue's file, or the address of a database of PostgreSQL, `postgres://user@host/database`. It is created if
   * it does not exist.
   */
  readonly database: string;
  /** Read in this order; at least one. */
  readonly sources: readonly Source[];
  /**
   * Whether to remove skills that came from these sources earlier and are no longer in them. If a source failed or held
   * no skill, nothing is removed. If left out, only installed skills are pruned: what is no longer installed goes.
   *
   * @default false, but for installed skills
   */
  readonly prune?: boolean | undefined;
  /**
   * Whether to make vectors for semantic search, for every text that has none yet. With `false`, present vectors stay.
   *
   * @default true, if the model runtime is installed
   */
  readonly semantic?: boolean | undefined;
  /**
   * Whether to follow links in a folder that lead into another folder of `sources`. A skill that is reached so is the
   * same skill, and both sources claim it. Links out of all sources are never followed.
   *
   * @default false
   */
  readonly followLinks?: boolean | undefined;
  /**
   * Bytes that a file or standard input may have, after unpacking. The load reads so far, and reports that the source
   * broke there. 0 means no limit. @default 34359738368 (32 GiB)
   */
  readonly maxUnpackedBytes?: number | undefined;
  /**
   * How many times its compressed size a gzip source may have, once it is over 16 MiB. The load reads so far, and
   * reports that the source broke there. 0 means no limit. @default 100
   */
  readonly maxRatio?: number | undefined;
  /**
   * Warnings, and rejected rows, that the report lists. The others are counted. 0 means no limit, and memory as the
   * sources want it. @default 10000
   */
  readonly maxListedProblems?: number | undefined;
  /**
   * Whether git is asked where the skills of folders are published, and when they were changed. With false their ids
   * depend on the folder alone, wherever it was cloned from. @default true
   */
  readonly git?: boolean | undefined;
  /**
   * Seconds that git may work on all repositories of a source; on one of them it may work for 20. Skills of the others
   * get the dates of their files. 0 means that git is asked for remotes only. @default 120
   */
  readonly gitSeconds?: number | undefined;
  /**
   * Whether to store what skills are made of: the bytes of all files of a folder, and those files of a row that it says
   * are complete. With false, skills can be found, but not be given out; a later load with true completes them.
   *
   * @default true
   */
  readonly contents?: boolean | undefined;
  /**
   * Whether to give up to three categories of the taxonomy (`data/categories.json`) to each skill whose source gives
   * none; see `Skill.derivedCategories`. It needs vectors of the bundled model. With false, those of earlier loads are
   * deleted. If left out, a catalogue that is classified stays classified, and new skills are.
   *
   * @default as the catalogue is
   */
  readonly classify?: boolean | undefined;
  /** Called now and then, at most about ten times a second. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Stops the load between two rows. A later load takes over the vectors that it made. */
  readonly signal?: AbortSignal | undefined;
  /** Read for the source `-`. @default process.stdin */
  readonly stdin?: Readable | undefined;
}

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
