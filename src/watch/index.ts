import type { BuildOptions, InstalledSource, LoadReport } from '../load/index.js';

/**
 * Loads sources into a catalogue, and keeps it as they are: whatever is added, changed, renamed or removed in them is
 * loaded as soon as it is quiet, words first and vectors after. The promise is kept when the first load has made the
 * sources searchable by words. From its start on no change is missed.
 *
 * A source that vanishes loses nothing; it is read again when it is back. Errors after the start are told to
 * `onProblem`, and the watch goes on. Of several watches of the same sources and options into one catalogue, in any
 * processes, one loads; when it ends, another takes over.
 *
 * @throws {SkillSearchError} as `buildCatalogue`, but for `LOAD_IN_PROGRESS`: somebody else's load is waited for
 * @throws the signal's reason when aborted before the first load has ended
 * @example
 * await using watch = await watchSources({ database: 'skills.db', sources: ['./skills'] });
 */
export async function watchSources(options: WatchOptions): Promise<SourceWatch> {
  // Watching takes as much code as loading. A program that only searches need not link it.
  const { startWatch } = await import('./start-watch.js');
  return startWatch(options);
}

/** Options of {@link watchSources}: those of a load, and how the sources are watched. */
export interface WatchOptions extends Omit<BuildOptions, 'database' | 'sources' | 'prune' | 'stdin' | 'signal'> {
  /**
   * The catalogue's file, or the address of a database of PostgreSQL, `postgres://user@host/database`. It is created if
   * it does not exist.
   */
  readonly database: string;
  /**
   * Paths of folders and files, or the installed skills; at least one. Rows from a program, and standard input, cannot
   * be watched, nor installed skills for PostgreSQL.
   */
  readonly sources: readonly (string | InstalledSource)[];
  /**
   * Path of another catalogue. Where this one is not there yet, its first load takes the vectors that the other has of
   * the same texts and by the same model, so that none is made twice.
   */
  readonly vectorsFrom?: string | undefined;
  /**
   * Whether changes of a few texts are read by the model that processes of this user share, as
   * `OpenOptions.sharedModel` says.
   *
   * @default false
   */
  readonly sharedModel?: boolean | undefined;
  /**
   * Whether to look at every file again and again in place of being told by the system: for network drives, and other
   * places where the system tells nothing. Sources that the system refuses to watch are polled anyway.
   *
   * @default false
   */
  readonly polling?: boolean | undefined;
  /**
   * Milliseconds between two looks of polling, at least: a look waits nine times as long as the one before took. An
   * integer from 50 to 3,600,000.
   *
   * @default 1000
   */
  readonly pollInterval?: number | undefined;
  /**
   * Milliseconds without a change after which changes are loaded: whoever saves a file writes it in several steps. An
   * integer from 0 to 60,000.
   *
   * @default 150
   */
  readonly quiet?: number | undefined;
  /**
   * Milliseconds after which changes are loaded though there are still more. An integer from 0 to 60,000.
   *
   * @default 1000
   */
  readonly longestWait?: number | undefined;
  /**
   * Called after the first load, and after each further one that changed the catalogue, rejected something else than
   * the one before, or found a source that failed; not for what another watch loads. An error that it throws is ignored.
   */
  readonly onChange?: ((change: WatchedChange) => void) | undefined;
  /** Called when something went wrong. The watch goes on, but after `ended`. An error that it throws is ignored. */
  readonly onProblem?: ((problem: WatchProblem) => void) | undefined;
  /**
   * Whether to watch and load in a thread of its own. A load of a thousand skills holds up the thread that it runs in
   * for some tenths of a second in all: a server that answers meanwhile wants this. An `embedder` cannot be given then.
   *
   * @default false
   */
  readonly thread?: boolean | undefined;
  /** Ends the watch, as `close()` does. */
  readonly signal?: AbortSignal | undefined;
}

/** What a watch changed in the catalogue. */
export interface WatchedChange {
  /**
   * `words`: skills were read; from now on they are found by words. `vectors`: their texts got vectors; from now on
   * they are found by meaning, too.
   */
  readonly kind: 'words' | 'vectors';
  /** Whether a whole load did it: the first one, or one after more changes than are written in place. */
  readonly whole: boolean;
  readonly report: LoadReport;
  /** From the first of these changes that the watch was told of, or from the start, until they can be found. */
  readonly milliseconds: number;
}

/** What kept a watch from its work. */
export interface WatchProblem {
  /**
   * `load-failed`: a load ended with an error; it is tried again. `load-waits`: somebody else loads into the catalogue.
   * `source-missing`: a source is not there; nothing of it is removed. `source-back`: it is there again. `polling`: the
   * system does not watch a source, so it is polled. `no-vectors`: the model runtime is not installed; skills are found
   * by words. `watched-elsewhere`: another watch loads the same sources into the same catalogue; this one follows, and
   * takes over when that one ends. `ended`: the thread of the watch has ended, of too little memory say.
   */
  readonly kind:
    | 'load-failed'
    | 'load-waits'
    | 'source-missing'
    | 'source-back'
    | 'polling'
    | 'no-vectors'
    | 'watched-elsewhere'
    | 'ended';
  /** What happened, in a sentence without a full stop. */
  readonly message: string;
  /** The source, as it was given. */
  readonly source?: string;
  readonly error?: unknown;
}

/** A running watch; made by {@link watchSources}. Keeps the process alive. */
export interface SourceWatch extends AsyncDisposable {
  /** Ends the watch: a load that is running stops; the next one takes over the vectors that it made. */
  close(): Promise<void>;
}
