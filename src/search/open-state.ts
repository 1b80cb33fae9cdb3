import { SkillSearchError } from '../core/index.js';
import type { OpenKeywordFile } from '../indexing/index.js';
import type { KeywordIndex, StopWords } from '../keyword/index.js';
import type { CopyStats } from '../result.js';
import type { CatalogueReader } from '../store/index.js';
import type { EmbeddingSink } from '../store/writing.js';
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

/** What {@link OpenState} holds, and closes. */
export interface OpenStateParts {
  readonly reader: CatalogueReader;
  readonly index: KeywordIndex;
  /** Undefined: those of the question's language. */
  readonly stopWords: StopWords | undefined;
  /** Whether skills tell the folder that they were loaded from. */
  readonly localPaths: boolean;
  /** The derived file that index and columns may be read from. */
  readonly keywordFile: OpenKeywordFile | undefined;
  readonly problems: SkillSearch['problems'];
  /** Of the local copy that was brought up to date; undefined if it is none. */
  readonly copy: CopyStats | undefined;
  /** Stops `openVectors`. */
  readonly closing: AbortController;
  readonly openVectors: () => Promise<VectorSearch>;
  /** Vectors that are open, or being opened, already. */
  readonly vectors: Promise<VectorSearch> | undefined;
  /** The index of the stored vectors. */
  readonly nearest: OpenedOnce<NearestDocuments>;
  /** Whether `openVectors` makes the vectors: of skills in memory. */
  readonly embedsFirst: boolean;
}

/**
 * One state of a catalogue, open for searching: its file, its index of words, and its vectors once somebody needs them.
 * Every member but `problems`, `stopWords`, `localPaths`, `copy` and `close()` fails once it is closed.
 */
export class OpenState {
  readonly problems: SkillSearch['problems'];
  /** Undefined: those of the question's language. */
  readonly stopWords: StopWords | undefined;
  readonly localPaths: boolean;
  /** What was known of the local copy when it was opened; undefined if it is none. */
  readonly copy: CopyStats | undefined;
  readonly #openVectors: () => Promise<VectorSearch>;
  readonly #closing: AbortController;
  #reader: CatalogueReader | undefined;
  #index: KeywordIndex | undefined;
  #keywordFile: OpenKeywordFile | undefined;
  #vectors: Promise<VectorSearch> | undefined;
  readonly #nearest: OpenedOnce<NearestDocuments>;
  readonly #embedsFirst: boolean;
  #vectorsWanted: boolean;
  /** Why the vectors could not be opened, and when to try again, by `performance.now()`. */
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  constructor(parts: OpenStateParts) {
    const { reader, index, stopWords, localPaths, keywordFile, problems, closing, openVectors, vectors } = parts;
    this.problems = problems;
    this.stopWords = stopWords;
    this.localPaths = localPaths;
    this.copy = parts.copy;
    this.#reader = reader;
    this.#index = index;
    this.#keywordFile = keywordFile;
    this.#closing = closing;
    this.#openVectors = openVectors;
    this.#vectors = vectors;
    this.#nearest = parts.nearest;
    this.#embedsFirst = parts.embedsFirst;
    this.#vectorsWanted = vectors !== undefined;
  }

  /** @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if closed */
  get reader(): CatalogueReader {
    if (this.#reader === undefined) throw closedError();
    return this.#reader;
  }

  /** @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if closed */
  get keywordIndex(): KeywordIndex {
    if (this.#index === undefined) throw closedError();
    return this.#index;
  }

  /** Aborted when the state is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether anybody has asked for the vectors, even if they could not be opened. */
  get vectorsWanted(): boolean {
    return this.#vectorsWanted;
  }

  /** Notes that somebody asks for the vectors, so that the next state opens them, too. */
  wantVectors(): void {
    this.#vectorsWanted = true;
  }

  /**
   * Opens the vectors, once.
   *
   * @param retry when to try again after failures: `now`, or after a pause, until which the same error is thrown
   */
  async vectors(retry: 'now' | 'later' = 'later'): Promise<VectorSearch> {
    if (this.#reader === undefined) throw closedError();
    this.wantVectors();
    if (this.#vectors === undefined) {
      const began = performance.now();
      if (retry === 'later' && this.#failure !== undefined && began < this.#failure.until) throw this.#failure.error;
      const opening = this.untilClosed(this.#openVectors());
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
    if (this.#reader === undefined) throw closedError();
    if (this.#embedsFirst) await this.vectors();
    return this.untilClosed(this.#nearest.get());
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
  async useRevision(reader: CatalogueReader, index: KeywordIndex, sink: EmbeddingSink): Promise<void> {
    this.#reader = reader;
    this.#index = index;
    await (await this.#nearest.take())?.close();
    const vectors = await this.#vectors?.catch(() => undefined);
    if (vectors === undefined) return;
    try {
      await vectors.useRevision(reader, sink, this.closing);
    } catch {
      if (this.#reader === undefined) throw closedError();
      this.#vectors = undefined;
      await vectors.close().catch(() => {});
    }
  }

  async close(): Promise<void> {
    const [reader, vectors, keywordFile] = [this.#reader, this.#vectors, this.#keywordFile];
    this.#reader = undefined;
    this.#index = undefined;
    this.#keywordFile = undefined;
    this.#vectors = undefined;
    this.#closing.abort(closedError());
    // Vectors that are being opened read from the file until they notice the signal, so the reader is closed last.
    await vectors?.then((opened) => opened.close()).catch(() => {});
    await (await this.#nearest.take())?.close();
    keywordFile?.file.close();
    reader?.close();
  }
}

/** The error of every call to a search that is closed. */
export function closedError(): SkillSearchError {
  return new SkillSearchError('SERVICE_UNAVAILABLE', 'this search was closed');
}

/** Something that is opened when it is first needed, for whoever needs it. */
export class OpenedOnce<T> {
  readonly #open: () => Promise<T>;
  #opening: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  /** Opens it, unless it is open. After a failure the next call tries again. */
  get(): Promise<T> {
    if (this.#opening === undefined) {
      const opening = this.#open();
      this.#opening = opening;
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    }
    return this.#opening;
  }

  /** What is open by then, or being opened; undefined if nothing is. Forgets it: the caller closes it. */
  async take(): Promise<T | undefined> {
    const opening = this.#opening;
    this.#opening = undefined;
    return opening?.catch(() => undefined);
  }
}

/** Something open that a newer one can replace. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Hands out the state that answers now. A call that is running when the state is replaced ends on the state it began
 * on; the replaced state is closed when the last of these calls has ended.
 */
export class CurrentState<State extends Closable> {
  #current: State;
  /** Number of running calls, for each state that has any. */
  readonly #running = new Map<State, number>();
  /** The last work that no call may run beside. */
  #alone: Promise<unknown> | undefined;
  /** Called when no call runs any more. */
  #onIdle: (() => void) | undefined;

  constructor(first: State) {
    this.#current = first;
  }

  /** The newest state. Only for synchronous work: a reload may close it at the next turn of the event loop. */
  get newest(): State {
    return this.#current;
  }

  /** Runs work on the newest state, which stays open until the work ends. */
  async use<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
    while (this.#alone !== undefined) await this.#alone;
    const state = this.#current;
    this.#running.set(state, (this.#running.get(state) ?? 0) + 1);
    try {
      return await work(state);
    } finally {
      this.#release(state);
    }
  }

  /** Runs work when all running calls have ended. Calls and other such work that come later wait for its end. */
  async alone<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
    while (this.#alone !== undefined) await this.#alone;
    const idle =
      this.#running.size === 0
        ? undefined
        : new Promise<void>((resolve) => {
            this.#onIdle = resolve;
          });
    const running = (async () => {
      await idle;
      return work(this.#current);
    })();
    this.#alone = running.then(
      () => {},
      () => {},
    );
    try {
      return await running;
    } finally {
      this.#alone = undefined;
    }
  }

  /** From now on `next` answers. */
  replace(next: State): void {
    const former = this.#current;
    this.#current = next;
    if (!this.#running.has(former)) closeQuietly(former);
  }

  /** Closes the newest state and every replaced one that is still in use. */
  async close(): Promise<void> {
    const states = new Set([this.#current, ...this.#running.keys()]);
    await Promise.all([...states].map((state) => state.close()));
  }

  #release(state: State): void {
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

/** Nobody waits for a replaced state, so nobody can be told that closing it failed. */
function closeQuietly(state: Closable): void {
  state.close().catch(() => {});
}
