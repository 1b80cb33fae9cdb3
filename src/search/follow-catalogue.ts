import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkDatabase, checkListener, resolveDatabase } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { readStopWords } from '../keyword/read-stop-words.js';
import type { KeywordQuery, SemanticQuery } from '../query.js';
import type { CatalogueStats, KeywordRecords, KeywordResult, LabelCount, SemanticResult } from '../result.js';
import type { ModelOptions } from '../semantic/model-options.js';
import type { SkillDetails, SkillFile } from '../skill.js';
import { derivedFiles, filesBeside } from '../store/file-names.js';
import { untilAborted } from '../threads/abort.js';
import { openSkillSearch } from './open-skill-search.js';
import type { OpenOptions } from './search-options.js';
import { closedError, type SkillSearch } from './skill-search.js';

export interface FollowOptions
  extends ModelOptions,
    Pick<OpenOptions, 'keywordIndex' | 'stopWords' | 'warmUp' | 'signal'> {
  /** A catalogue's file, made by `buildCatalogue`. */
  readonly database: string;
  /** Milliseconds between two looks at the file; a change is acted upon once it has stood still for one. @default 250 */
  readonly interval?: number | undefined;
  /** Told of every change of the file. */
  readonly onReload?: ((event: ReloadEvent) => void) | undefined;
}

/** What became of a catalogue that was replaced. After a failure the former one goes on answering. */
export type ReloadEvent =
  | { readonly kind: 'reloaded'; readonly stats: CatalogueStats; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A search that answers from the newest state of its catalogue. */
export interface FollowedSearch extends SkillSearch {
  /**
   * Opens the file anew, whether it changed or not.
   *
   * @throws {SkillSearchError} as `openSkillSearch`; the former state goes on answering then
   */
  reload(): Promise<void>;
}

const DEFAULT_INTERVAL = 250;
/**
 * Milliseconds that a load may take, once its catalogue is there, to write what is derived from it; it is then opened without.
 * A load that was killed looks the same.
 */
const LONGEST_INDEXING = 120_000;
/** Milliseconds after which a file that could not be opened is tried again. */
const RETRY_AFTER = 30_000;
/** The longest that a timer can wait. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

/**
 * Opens a catalogue and follows it: each load that is finished is opened beside the present state, made as ready as that
 * is, and then takes its place. Every call is answered from one state: those that run while it changes, from the former.
 *
 * Takes the memory of two states while it changes. Does not keep the process running.
 *
 * @throws {SkillSearchError} as `openSkillSearch`
 * @example
 * await using search = await followCatalogue({ database: 'skills.db' });
 */
export async function followCatalogue(options: FollowOptions): Promise<FollowedSearch> {
  const path = resolve(checkDatabase(options?.database));
  const { interval = DEFAULT_INTERVAL, onReload = () => {}, signal, ...others } = options;
  // As they are now: the process may go to another folder, and words may come only once.
  const open = { ...others, database: path, stopWords: readStopWords(others.stopWords) };
  checkListener('onReload', onReload);
  if (!Number.isInteger(interval) || interval < 1 || interval > LONGEST_INTERVAL) {
    const message = `interval must be an integer from 1 to ${LONGEST_INTERVAL} (milliseconds), got ${String(interval)}`;
    throw new SkillSearchError('INVALID_OPTION', message);
  }
  // Before the opening: what changes while it goes on is then seen as a change.
  const seen = await signatureOf(path);
  const first = await openSkillSearch({ ...open, signal });
  // Later states are warmed up here, where what they lack is no reason not to take over.
  const openNext = (closing: AbortSignal): Promise<SkillSearch> =>
    openSkillSearch({ ...open, warmUp: false, signal: closing });
  const tell = (event: ReloadEvent): void => {
    try {
      onReload(event);
    } catch {
      // Who listens badly is no reason not to go on.
    }
  };
  return new Follower(first, { path, interval, tell, openNext, seen, warm: open.warmUp === true });
}

interface FollowerParts {
  readonly path: string;
  readonly interval: number;
  readonly tell: (event: ReloadEvent) => void;
  readonly openNext: (closing: AbortSignal) => Promise<SkillSearch>;
  /** What the file was like when the first state was opened. */
  readonly seen: string;
  readonly warm: boolean;
}

/** A state of the catalogue and how many answers are being made from it. */
interface State {
  readonly search: SkillSearch;
  running: number;
}

class Follower implements FollowedSearch {
  readonly #parts: FollowerParts;
  readonly #timer: NodeJS.Timeout;
  #current: State;
  /** States that were replaced and still answer. */
  readonly #former = new Set<State>();
  /** Whether semantic search was made ready: that of the next state is then, too. */
  #warm: boolean;
  #seen: string;
  #last: string;
  #looking = false;
  #reloading: Promise<void> | undefined;
  /** The reload that comes after the one that runs, for all who ask in the meantime. */
  #next: Promise<void> | undefined;
  /** Since when there is a state that is not opened yet, of `performance.now()`. */
  #changed: number | undefined;
  /** When the file could not be opened last, of `performance.now()`. */
  #failed: number | undefined;
  readonly #closing = new AbortController();

  constructor(first: SkillSearch, parts: FollowerParts) {
    this.#current = { search: first, running: 0 };
    this.#parts = parts;
    this.#warm = parts.warm;
    this.#seen = parts.seen;
    this.#last = parts.seen;
    this.#timer = setInterval(() => this.#look(), parts.interval).unref();
  }

  get problems(): SkillSearch['problems'] {
    return this.#current.search.problems;
  }

  keyword(query: KeywordQuery): KeywordResult {
    return this.#current.search.keyword(query);
  }

  keywordRecords(query: KeywordQuery): KeywordRecords {
    return this.#current.search.keywordRecords(query);
  }

  semantic(query: SemanticQuery, options?: { readonly signal?: AbortSignal | undefined }): Promise<SemanticResult> {
    this.#warm = true;
    return this.#whileRunning((search) => search.semantic(query, options));
  }

  warmUp(): Promise<void> {
    this.#warm = true;
    return this.#whileRunning((search) => search.warmUp());
  }

  get(id: string): SkillDetails | undefined {
    return this.#current.search.get(id);
  }

  files(id: string): SkillFile[] {
    return this.#current.search.files(id);
  }

  filenames(id: string): string[] {
    return this.#current.search.filenames(id);
  }

  file(id: string, filename: string): SkillFile | undefined {
    return this.#current.search.file(id, filename);
  }

  ids(): string[] {
    return this.#current.search.ids();
  }

  copiesOf(id: string): string[] {
    return this.#current.search.copiesOf(id);
  }

  categories(): LabelCount[] {
    return this.#current.search.categories();
  }

  occupations(): LabelCount[] {
    return this.#current.search.occupations();
  }

  stats(): CatalogueStats {
    return this.#current.search.stats();
  }

  check(): void {
    this.#current.search.check();
  }

  reload(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    if (this.#reloading === undefined) {
      this.#reloading = this.#reload().finally(() => {
        this.#reloading = undefined;
      });
      return this.#reloading;
    }
    // What runs may have opened the file already: whoever asks now wants what is there now.
    this.#next ??= this.#reloading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.reload();
      });
    return this.#next;
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError());
    clearInterval(this.#timer);
    await Promise.all([this.#current, ...this.#former].map(({ search }) => search.close()));
    await this.#reloading?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #reload(): Promise<void> {
    const { tell } = this.#parts;
    const started = performance.now();
    let search: SkillSearch;
    try {
      search = await this.#open();
      this.#failed = undefined;
    } catch (error) {
      this.#failed = performance.now();
      if (!this.#closing.signal.aborted) tell({ kind: 'failed', error });
      throw error;
    }
    const former = this.#current;
    this.#current = { search, running: 0 };
    this.#retire(former);
    tell({ kind: 'reloaded', stats: search.stats(), milliseconds: performance.now() - started });
  }

  async #open(): Promise<SkillSearch> {
    this.#seen = await signatureOf(this.#parts.path);
    const { signal } = this.#closing;
    const search = await this.#parts.openNext(signal);
    try {
      // What semantic search lacks is told to who searches by meaning.
      if (this.#warm) await untilAborted(search.warmUp(), signal).catch(() => {});
      signal.throwIfAborted();
      return search;
    } catch (error) {
      await search.close();
      throw error;
    }
  }

  /** A change counts once the files have been the same for two looks: a load writes several, one after the other. */
  async #look(): Promise<void> {
    if (this.#looking || this.#reloading !== undefined) return;
    this.#looking = true;
    try {
      const now = await signatureOf(this.#parts.path);
      const settled = now === this.#last;
      this.#last = now;
      const worthATry = this.#isFinished(now !== this.#seen) || this.#isToRetry();
      // Where there is no file, what was opened is the best there is.
      if (settled && worthATry && now !== '' && !this.#closing.signal.aborted) await this.reload();
    } catch {
      // Told already, by `onReload`.
    } finally {
      this.#looking = false;
    }
  }

  /** Whether there is a new state, and the load that made it has ended: then its indexes are there, too. */
  #isFinished(changed: boolean): boolean {
    this.#changed = changed ? (this.#changed ?? performance.now()) : undefined;
    if (this.#changed === undefined) return false;
    const lock = filesBeside(resolveDatabase(this.#parts.path)).loadingLock;
    return !existsSync(lock) || performance.now() - this.#changed > LONGEST_INDEXING;
  }

  /** What was lacking may have been memory, or a place among open files. */
  #isToRetry(): boolean {
    return this.#failed !== undefined && performance.now() - this.#failed > RETRY_AFTER;
  }

  async #whileRunning<T>(work: (search: SkillSearch) => Promise<T>): Promise<T> {
    const state = this.#current;
    state.running += 1;
    try {
      return await work(state.search);
    } finally {
      state.running -= 1;
      if (this.#former.has(state)) this.#retire(state);
    }
  }

  #retire(state: State): void {
    if (state.running > 0) {
      this.#former.add(state);
      return;
    }
    this.#former.delete(state);
    state.search.close().catch(() => {});
  }
}

/** Tells one state of the files from another; empty where there is no catalogue. */
async function signatureOf(path: string): Promise<string> {
  const database = resolveDatabase(path);
  const files = [database, ...derivedFiles(database)];
  const [catalogue, ...derived] = await Promise.all(files.map(signatureOfFile));
  return catalogue === '' ? '' : [catalogue, ...derived].join(' ');
}

async function signatureOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return [ino, size, mtimeMs].join(':');
  } catch {
    return '';
  }
}
