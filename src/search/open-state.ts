import { SkillSearchError, untilAborted } from '../core/index.js';
import type { OpenKeywordFile } from '../indexing/index.js';
import type { KeywordIndex, StopWords } from '../keyword/index.js';
import type { CopyStats } from '../result.js';
import type { ModelOptions } from '../semantic/index.js';
import type { CatalogueReader } from '../store/index.js';
import type { MemoryCatalogue } from '../store/writing.js';
import type { NearestDocuments } from './nearest-documents.js';
import type { SkillSearch } from './skill-search.js';
import type { VectorSearch } from './vector-search.js';

/**
 * After the vectors could not be opened for a second time, they are left alone for so many times as long as the attempt
 * took, at most so many milliseconds: a damaged model that is read again for each question would take all of a
 * processor.
 */
const PAUSE_FACTOR = 4;
const LONGEST_PAUSE = 30_000;

/** How a catalogue is opened: options that were checked. */
export interface OpenHow {
  readonly modelOptions: ModelOptions;
  /** Undefined: those of the question's language. */
  readonly stopWords: StopWords | undefined;
  /** Whether questions in other languages are read in English, too. */
  readonly gloss: boolean;
  readonly warmUp: boolean;
  /** Whether skills tell the folder that they were loaded from. */
  readonly localPaths: boolean;
  readonly graph: boolean;
  readonly sharedModel: boolean;
  /** Whether what was used may rise, and is noted. */
  readonly usage: boolean;
}

/** What a search reads from. */
export interface OpenedReader {
  readonly reader: CatalogueReader;
  /** Path of the file; undefined for skills in memory. */
  readonly database?: string;
  /** Where the vectors of skills in memory are stored; undefined for a file. */
  readonly memory?: MemoryCatalogue;
  /** What was known of the replica when it was opened; undefined if it is none. */
  readonly copy?: CopyStats | undefined;
  readonly problems: SkillSearch['problems'];
}

/** An index of words, and the derived file that it and the columns may be read from. */
export interface OpenedWords {
  readonly index: KeywordIndex;
  readonly keywordFile?: OpenKeywordFile | undefined;
}

/**
 * One state of a catalogue, open for searching: its file, its index of words, and its vectors once they are needed.
 * What is read from fails once it is closed.
 */
export class OpenState {
  readonly how: OpenHow;
  readonly problems: SkillSearch['problems'];
  readonly copy: CopyStats | undefined;
  /** Path of the file; undefined for skills in memory. */
  readonly database: string | undefined;
  readonly #memory: MemoryCatalogue | undefined;
  readonly #closing = new AbortController();
  // A search that is closed but not forgotten holds none of these.
  #reader: CatalogueReader | undefined;
  #words: OpenedWords | undefined;
  #vectors: Promise<VectorSearch> | undefined;
  #nearest: Promise<NearestDocuments> | undefined;
  /** Whether the vectors were asked for, even if they could not be opened: then the next state opens them, too. */
  vectorsWanted: boolean;
  /** Why the vectors could not be opened, and when to try again, by `performance.now()`. */
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  private constructor({ reader, database, memory, copy, problems }: OpenedReader, how: OpenHow) {
    this.how = how;
    this.problems = problems;
    this.copy = copy;
    this.database = database;
    this.#memory = memory;
    this.#reader = reader;
    this.vectorsWanted = how.warmUp;
  }

  /**
   * Opens an index of words and, if that is asked for, the vectors beside it. The reader is closed with what is
   * returned, and where this fails.
   *
   * @param openWords gets a signal that stops it
   */
  static async open(
    opened: OpenedReader,
    how: OpenHow,
    openWords: (signal: AbortSignal) => Promise<OpenedWords>,
    signal: AbortSignal | undefined,
  ): Promise<OpenState> {
    const state = new OpenState(opened, how);
    try {
      // First: the model takes longest, and loads in a thread of its own.
      const vectors = how.warmUp ? state.vectors() : undefined;
      const failed = new AbortController();
      vectors?.catch((error) => failed.abort(error));
      const stop = AbortSignal.any(signal === undefined ? [failed.signal] : [signal, failed.signal]);
      state.#words = await openWords(stop);
      if (vectors !== undefined) await untilAborted(vectors, signal);
      return state;
    } catch (error) {
      await state.close();
      throw error;
    }
  }

  /** @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if closed */
  get reader(): CatalogueReader {
    if (this.#reader === undefined) throw closedError();
    return this.#reader;
  }

  /** @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if closed */
  get keywordIndex(): KeywordIndex {
    if (this.#words === undefined) throw closedError();
    return this.#words.index;
  }

  /** Aborted when the state is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Opens the vectors, once.
   *
   * @param retry when to try again after failures: `now`, or after a pause, until which the same error is thrown
   */
  async vectors(retry: 'now' | 'later' = 'later'): Promise<VectorSearch> {
    const { reader } = this;
    this.vectorsWanted = true;
    if (this.#vectors === undefined) {
      const began = performance.now();
      if (retry === 'later' && this.#failure !== undefined && began < this.#failure.until) throw this.#failure.error;
      const opening = this.untilClosed(this.#openVectors(reader));
      this.#vectors = opening;
      opening.catch((error) => {
        if (this.#vectors !== opening) return;
        this.#vectors = undefined;
        const now = performance.now();
        const pause = this.#failure === undefined ? 0 : Math.min(LONGEST_PAUSE, (now - began) * PAUSE_FACTOR);
        this.#failure = { error, until: now + pause };
      });
    }
    return this.#vectors;
  }

  /** Opens the index of the stored vectors, without a model. Skills in memory are embedded first. */
  async nearest(): Promise<NearestDocuments> {
    const { reader } = this;
    if (this.#memory !== undefined) await this.vectors();
    return this.untilClosed(this.#openNearest(reader));
  }

  /** Opens the vectors as another state has them: with the model for other languages if that was in use. */
  async vectorsAs(other: OpenState): Promise<void> {
    const vectors = await this.vectors();
    const others = await other.#vectors?.catch(() => undefined);
    if (others?.otherLanguagesWanted === true) await vectors.loadOtherLanguages();
  }

  /** Waits for work on this state. If the state is closed meanwhile, a failure of the work is reported as that. */
  async untilClosed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#reader === undefined ? closedError() : error;
    }
  }

  /**
   * Goes over to the next revision of skills in memory, while no call runs. Vectors that are open get those of new
   * skills. If that fails, the next question opens them again, and reports what is wrong.
   */
  async useRevision(reader: CatalogueReader, index: KeywordIndex): Promise<void> {
    this.#reader = reader;
    this.#words = { index };
    this.#nearest = undefined;
    const vectors = await this.#vectors?.catch(() => undefined);
    if (vectors === undefined) return;
    try {
      await vectors.useRevision(reader, this.closing);
    } catch {
      if (this.#reader === undefined) throw closedError();
      this.#vectors = undefined;
      await vectors.close().catch(() => {});
    }
  }

  async close(): Promise<void> {
    const [reader, vectors, words] = [this.#reader, this.#vectors, this.#words];
    this.#reader = undefined;
    this.#words = undefined;
    this.#vectors = undefined;
    const nearest = this.#nearest;
    this.#nearest = undefined;
    this.#closing.abort(closedError());
    // Vectors that are being opened read from the file until they notice the signal, so the reader is closed last.
    await vectors?.then((opened) => opened.close()).catch(() => {});
    await nearest?.catch(() => {});
    words?.keywordFile?.file.close();
    reader?.close();
  }

  // Both import what they need: a search by words alone does not wait for this code to load.

  async #openVectors(reader: CatalogueReader): Promise<VectorSearch> {
    // What ranks by meaning is imported here as well, so that the first question after `warmUp()` does not wait for it.
    const [{ VectorSearch: Vectors }] = await Promise.all([
      import('./vector-search.js'),
      import('./semantic-search.js'),
    ]);
    return Vectors.open(reader, {
      ...this.how.modelOptions,
      database: this.database,
      sink: this.#memory,
      sharedModel: this.how.sharedModel,
      openNearest: (of) => this.#openNearest(of),
      signal: this.closing,
    });
  }

  /** Opens it, unless it is open. After a failure the next call tries again. */
  #openNearest(reader: CatalogueReader): Promise<NearestDocuments> {
    if (this.#nearest === undefined) {
      const { graph, modelOptions } = this.how;
      const options = { database: this.database, graph, hasEmbedder: modelOptions.embedder !== undefined };
      const opening = import('./nearest-documents.js').then(({ NearestDocuments: Nearest }) =>
        Nearest.open(reader, { ...options, signal: this.closing }),
      );
      this.#nearest = opening;
      opening.catch(() => {
        if (this.#nearest === opening) this.#nearest = undefined;
      });
    }
    return this.#nearest;
  }
}

/** The error of every call to a search that is closed. */
export function closedError(): SkillSearchError {
  return new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed');
}

/**
 * Hands out the state that answers now. A call that is running when the state is replaced ends on the state it began
 * on; the replaced state is closed when the last of these calls has ended.
 */
export class CurrentState {
  #current: OpenState;
  /** Number of running calls, for each state that has any. */
  readonly #running = new Map<OpenState, number>();
  /** The work that no call may run beside. */
  #alone: Promise<unknown> | undefined;
  /** Called when no call runs any more. */
  #onIdle: (() => void) | undefined;

  constructor(first: OpenState) {
    this.#current = first;
  }

  /** The newest state. Only for synchronous work: a reload may close it at the next turn of the event loop. */
  get newest(): OpenState {
    return this.#current;
  }

  /** Runs work on the newest state, which stays open until the work ends. */
  async use<Result>(work: (state: OpenState) => Promise<Result>): Promise<Result> {
    while (this.#alone !== undefined) await this.#alone;
    const state = this.#current;
    this.#running.set(state, (this.#running.get(state) ?? 0) + 1);
    try {
      return await work(state);
    } finally {
      this.#release(state);
    }
  }

  /** Runs work when all running calls have ended. Calls that come later wait for its end. One at a time. */
  async alone<Result>(work: (state: OpenState) => Promise<Result>): Promise<Result> {
    const running = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#running.size === 0) resolve();
    }).then(() => work(this.#current));
    this.#alone = running.catch(() => {});
    try {
      return await running;
    } finally {
      this.#alone = undefined;
    }
  }

  /** From now on `next` answers. */
  replace(next: OpenState): void {
    const former = this.#current;
    this.#current = next;
    if (!this.#running.has(former)) closeQuietly(former);
  }

  /** Closes the newest state and every replaced one that is still in use. */
  async close(): Promise<void> {
    const states = new Set([this.#current, ...this.#running.keys()]);
    await Promise.all([...states].map((state) => state.close()));
  }

  #release(state: OpenState): void {
    const running = this.#running.get(state)! - 1;
    if (running > 0) {
      this.#running.set(state, running);
      return;
    }
    this.#running.delete(state);
    if (this.#running.size === 0) this.#onIdle?.();
    if (state !== this.#current) closeQuietly(state);
  }
}

/** No caller waits for a replaced state, so none can be told that closing it failed. */
function closeQuietly(state: OpenState): void {
  state.close().catch(() => {});
}
