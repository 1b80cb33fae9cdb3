import { type Names, namesOf } from '../core/index.js';
import type { ModelOptions } from '../semantic/index.js';

/** What `openSkillSearch` opens, and how: either `database` or `skills` is required. */
export interface OpenOptions extends ModelOptions {
  /**
   * Path of a catalogue's file, made by `buildCatalogue`; or the http or https address of a manifest that
   * `writeSnapshot` made; or the address of a database of PostgreSQL that a catalogue was loaded into, such as
   * `postgres://user@host/database`. Of an address a local copy is brought up to date, and opened. If what is there is
   * away, a copy that is here is opened as it is.
   */
  readonly database?: string | undefined;
  /**
   * Skills to hold in memory, instead of a file. Each is checked like a row of a source; see `SkillSearch.problems`.
   */
  readonly skills?: Iterable<unknown> | AsyncIterable<unknown> | undefined;
  /**
   * The index of words. `'packed'` is read from the derived file that a load leaves beside the catalogue; without that
   * file it is built in memory. `'minisearch'` is built with MiniSearch each time. `false`: none, so `keyword()` fails;
   * opening is faster then.
   *
   * @default 'packed'
   */
  readonly keywordIndex?: 'packed' | 'minisearch' | false | undefined;
  /**
   * Words that a question may have but a skill need not: they count only in a question that has no other words. Case
   * and accents do not matter. An empty list makes every word count.
   *
   * @default those of the question's language: in English `STOP_WORDS`
   */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Whether to load the model and the vectors while opening, as `warmUp()` does. If they cannot be loaded, opening
   * fails.
   *
   * @default false
   */
  readonly warmUp?: boolean | undefined;
  /**
   * Whether skills that were loaded from a folder tell its path, as `localPath`, and the paths of their
   * `installations`. A server never sends it.
   *
   * @default false
   */
  readonly localPaths?: boolean | undefined;
  /**
   * Whether to open the graphs of a large catalogue's vectors. `false`: all vectors are scanned, which opens sooner and
   * takes some milliseconds more for each question: for a process that asks one or a few.
   *
   * @default true
   */
  readonly graph?: boolean | undefined;
  /**
   * The folder of the local copy of what an address names. Several processes may share it.
   *
   * @default one in the user's cache folder, named after the address
   */
  readonly cache?: string | undefined;
  /**
   * A file whose first line is the password for the database of a `postgres://` address. It is read for each new
   * connection, so that it can be changed.
   *
   * @default what the address says, else the variable `PGPASSWORD`, else the password file of PostgreSQL
   */
  readonly passwordFile?: string | undefined;
  /** Stops the opening. Has no effect on a search that is open. */
  readonly signal?: AbortSignal | undefined;
}

export const OPEN_OPTIONS: Names = namesOf<OpenOptions>({
  database: true,
  skills: true,
  model: true,
  embedder: true,
  keywordIndex: true,
  stopWords: true,
  warmUp: true,
  localPaths: true,
  graph: true,
  cache: true,
  passwordFile: true,
  signal: true,
});
