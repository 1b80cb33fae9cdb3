import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { SkillSearchError } from './errors.js';
import type { Embedder } from './semantic/embedder.js';

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

/** Which model makes vectors. Without any of these it is the one that comes with the library. */
export interface ModelOptions {
  /** Folder of another model, in the layout of Transformers.js: `config.json`, `tokenizer.json`, `onnx/…`. */
  readonly model?: string | undefined;
  /** Something else that makes vectors. It stays open: whoever made it closes it. */
  readonly embedder?: Embedder | undefined;
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

export interface OpenOptions extends ModelOptions {
  /** A catalogue's file, made by `buildCatalogue`. */
  readonly database?: string | undefined;
  /** Instead of a file: skills to hold in memory. Each is checked like a row of a file. */
  readonly skills?: Iterable<unknown> | AsyncIterable<unknown> | undefined;
  /**
   * The index behind `keyword()`: `packed` is opened from the file that a load leaves beside the catalogue, `minisearch` is
   * built over MiniSearch each time. `false` leaves it out, for who only reads skills.
   *
   * @default 'packed'
   */
  readonly keywordIndex?: 'packed' | 'minisearch' | false | undefined;
  /**
   * Words that are required only where a question has nothing else, and count for nothing where it has: instead of
   * `STOP_WORDS`. Case and accents aside; none (`[]`) makes all words count.
   *
   * @default STOP_WORDS
   */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Whether semantic search is made ready while the catalogue is opened, as by `warmUp()`; what it lacks is an error then.
   *
   * @default false
   */
  readonly warmUp?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it cannot be the path of a file
 */
export function checkDatabase(database: unknown): string {
  return checkPath('database', database, 'a file');
}

/**
 * @param what the path leads to, for the message
 * @returns the path as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it cannot be one
 */
export function checkPath(option: string, path: unknown, what: string): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return path;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be the path of ${what}, got ${describe(path)}`);
}

/** @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor true nor false */
export function checkFlag(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be true or false, got ${describe(value)}`);
}

/** @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor a function */
export function checkListener(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be a function, got ${describe(value)}`);
}

/**
 * @returns the signal as given
 * @throws {SkillSearchError} `INVALID_OPTION` where it is neither left out nor an AbortSignal
 */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || (signal as unknown) instanceof AbortSignal) return signal;
  throw new SkillSearchError('INVALID_OPTION', `signal must be an AbortSignal, got ${describe(signal)}`);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Where the file is, or will be: absolute. A link stays a link: what it leads to is opened, and replaced. */
export function resolveDatabase(database: string): string {
  const path = resolve(database);
  return existsSync(path) ? realpathSync(path) : path;
}

/** Whether a value is an object that rows can be read from; a text is none. */
export function isIterable(rows: unknown): rows is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof rows === 'object' && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows);
}

/**
 * @returns the rows as given
 * @throws {SkillSearchError} `INVALID_OPTION` where they cannot be iterated
 */
export function checkRows(rows: unknown, option: string): Iterable<unknown> | AsyncIterable<unknown> {
  if (isIterable(rows)) return rows;
  throw new SkillSearchError('INVALID_OPTION', `${option} must be rows that can be iterated, got ${typeof rows}`);
}
