import type { Worker } from 'node:worker_threads';
import { type ErrorCode, RequestQueue, SkillSearchError, startWorker, untilAborted } from '../core/index.js';
import { type LocalEmbedOptions, type LocalModel, TEXTS_PER_THREAD } from './embedder.js';
import { probablyReads, readableShare, type Script, scriptsOf } from './languages.js';
import type { ModelFolder } from './model-folder.js';
import type { ModelSettings } from './settings.js';

/**
 * Texts that a thread gets at once: enough of like length to go through the model together, few enough that a question
 * which comes during a load does not wait long.
 */
const CHUNK = 32;

interface Chunk {
  readonly texts: readonly string[];
  readonly onFirst: LocalEmbedOptions['onFirst'];
  readonly done: (vectors: readonly Float32Array[]) => void;
  readonly failed: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/** A chunk that a thread embeds. */
interface Running {
  readonly texts: readonly string[];
  /** By `performance.now()`. */
  readonly began: number;
}

/** Runs a model of a local folder in worker threads. */
export class LocalEmbedder implements LocalModel {
  readonly model: string;
  readonly #languages: readonly string[] | undefined;
  /** The scripts that the model can read; undefined if unknown. */
  readonly #scripts: readonly Script[] | undefined;
  /** Length of the vectors; 0 if the model is not loaded yet. */
  readonly dimensions: number;
  readonly #folder: ModelFolder;
  /** How many threads there may be. */
  readonly #most: number;
  readonly #threads: LastingModelThread[];
  readonly #idle: LastingModelThread[];
  readonly #queue: Chunk[] = [];
  readonly #running = new Set<Running>();
  readonly #times = new EmbeddingTimes();
  #closed = false;

  private constructor(
    folder: ModelFolder,
    threads: readonly ModelThread[],
    most: number,
    { scripts, dimensions }: LoadedModel,
  ) {
    this.model = folder.id;
    this.dimensions = dimensions;
    this.#folder = folder;
    this.#most = most;
    this.#languages = folder.languages;
    this.#scripts = folder.languages === undefined ? scripts : scriptsOf(folder.languages);
    this.#threads = threads.map((thread) => new LastingModelThread(folder, thread));
    this.#idle = [...this.#threads];
  }

  /**
   * Loads the model.
   *
   * @param threads how many texts are embedded at the same time; more than one per core does not pay
   * @param first thread of the same folder that loads already; it counts as one of them
   * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
   */
  static async start(folder: ModelFolder, threads: number, first?: ModelThread): Promise<LocalEmbedder> {
    const started = Array.from({ length: threads }, (_, i) => (i === 0 && first) || new ModelThread(folder));
    try {
      const [loaded] = await Promise.all(started.map((thread) => thread.ready));
      return new LocalEmbedder(folder, started, threads, loaded!);
    } catch (error) {
      await Promise.all(started.map((thread) => thread.close()));
      throw error;
    }
  }

  /**
   * As {@link start}, but loads the model when the first text comes. Then texts wait for it, and fail if it cannot be
   * loaded. Threads are added only while many texts wait. What scripts the model reads is known by its languages only.
   */
  static startWhenUsed(folder: ModelFolder, threads: number): LocalEmbedder {
    return new LocalEmbedder(folder, [], threads, { scripts: undefined, dimensions: 0 });
  }

  async embed(
    texts: readonly string[],
    { signal, purpose = 'document', onFirst }: LocalEmbedOptions = {},
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const prefix = this.#folder.settings[purpose];
    const chunks: Promise<readonly Float32Array[]>[] = [];
    const order = byLength(texts);
    for (let start = 0; start < texts.length; start += CHUNK) {
      const part = Array.from(order.subarray(start, start + CHUNK), (text) => prefix + texts[text]!);
      chunks.push(
        new Promise((done, failed) => {
          this.#queue.push({ texts: part, onFirst: texts.length <= CHUNK ? onFirst : undefined, done, failed, signal });
        }),
      );
    }
    this.#next();
    const vectors = (await untilAborted(Promise.all(chunks), signal)).flat();
    const inOrder = new Array<Float32Array>(texts.length);
    for (let i = 0; i < order.length; i++) inOrder[order[i]!] = vectors[i]!;
    return inOrder;
  }

  /**
   * The time that the texts before it will take, by what texts took so far. Those whose caller has gone are not
   * counted: they leave the queue without being embedded.
   */
  expectedWait(): number {
    if (this.#idle.length > 0 || this.#threads.length === 0) return 0;
    const now = performance.now();
    let work = 0;
    for (const { texts, began } of this.#running) {
      // What takes longer than expected is expected to take as long again.
      work += Math.abs(this.#times.estimate(texts) - (now - began));
    }
    for (const { texts, signal } of this.#queue) {
      if (signal?.aborted !== true) work += this.#times.estimate(texts);
    }
    return work / this.#threads.length;
  }

  readableShare(question: string): number {
    return this.#scripts === undefined ? 1 : readableShare(question, this.#scripts);
  }

  readsLanguage(language: string): boolean {
    return this.#languages?.includes(language) ?? probablyReads(language, this.#scripts);
  }

  /** This model has no other. */
  get otherLanguagesWanted(): boolean {
    return false;
  }

  async loadOtherLanguages(): Promise<void> {}

  firstReadsLanguage(language: string): boolean {
    return this.readsLanguage(language);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const chunk of this.#queue.splice(0)) chunk.failed(closedError());
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      if (this.#closed) {
        this.#queue.shift()?.failed(closedError());
        continue;
      }
      // Nobody waits for an aborted chunk any more.
      if (this.#queue[0]?.signal?.aborted === true) {
        const chunk = this.#queue.shift()!;
        chunk.failed(chunk.signal?.reason);
        continue;
      }
      const thread = this.#idle.pop() ?? this.#startAnother();
      if (thread === undefined) return;
      void this.#run(thread, this.#queue.shift()!);
    }
  }

  /** Another thread, if there may be one and it pays. */
  #startAnother(): LastingModelThread | undefined {
    const running = this.#threads.length;
    if (running >= this.#most || (running > 0 && this.#queue.length * CHUNK < TEXTS_PER_THREAD)) return undefined;
    const thread = new LastingModelThread(this.#folder, new ModelThread(this.#folder));
    this.#threads.push(thread);
    return thread;
  }

  async #run(thread: LastingModelThread, { texts, onFirst, done, failed }: Chunk): Promise<void> {
    const running: Running = { texts, began: performance.now() };
    this.#running.add(running);
    try {
      const parts = onFirst === undefined || texts.length < 2 ? [texts] : [texts.slice(0, 1), texts.slice(1)];
      // All are asked for at once: the thread goes on without waiting for this one.
      const asked = parts.map((part) => thread.embed(part));
      const all = Promise.all(asked);
      if (onFirst !== undefined) {
        asked[0]!.then(
          ({ vectors }) => onFirst(vectors[0]!),
          () => {},
        );
      }
      const embedded = await all;
      this.#times.note(
        texts,
        embedded.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
      );
      done(embedded.flatMap(({ vectors }) => vectors));
    } catch (error) {
      failed(error);
    }
    this.#running.delete(running);
    this.#idle.push(thread);
    this.#next();
  }
}

/**
 * The numbers of texts, the longest first: texts of like length become one chunk, and threads end at nearly the same
 * time because the last chunks are small.
 */
function byLength(texts: readonly string[]): Uint32Array {
  const order = Uint32Array.from(texts.keys());
  return texts.length <= CHUNK ? order : order.sort((a, b) => texts[b]!.length - texts[a]!.length || a - b);
}

function closedError(): SkillSearchError {
  return new SkillSearchError('SERVICE_UNAVAILABLE', 'the embedder was closed');
}

/** Bytes of UTF-8 for a token: about four letters of English, or one Chinese character. */
const BYTES_PER_TOKEN = 4;
/** Tokens of a text that are read at most. The rest of a long text costs nothing. */
const MOST_TOKENS = 256;
/** What each text costs beside its tokens, in tokens. */
const COST_OF_TEXT = 16;

/** Before anything was measured. */
const FIRST_GUESS = 0.15;
/** How much of each measurement goes into the average: the last thirty or so count. */
const WEIGHT_OF_NEWEST = 1 / 16;
/**
 * A measurement counts as this many times the average at most: one stall must not last for the next fifty questions.
 */
const MOST_SURPRISE = 4;

/** Estimates how long a model takes for texts, from how long it took for others. */
export class EmbeddingTimes {
  /** Milliseconds for a token. */
  #perToken = FIRST_GUESS;

  /** Notes that texts took so many milliseconds. */
  note(texts: readonly string[], milliseconds: number): void {
    if (texts.length === 0) return;
    const measured = Math.min(milliseconds / tokensOf(texts), this.#perToken * MOST_SURPRISE);
    this.#perToken += (measured - this.#perToken) * WEIGHT_OF_NEWEST;
  }

  /** Milliseconds that texts will take. */
  estimate(texts: readonly string[]): number {
    return tokensOf(texts) * this.#perToken;
  }
}

function tokensOf(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) tokens += COST_OF_TEXT + Math.min(MOST_TOKENS, Buffer.byteLength(text) / BYTES_PER_TOKEN);
  return tokens;
}

/** Milliseconds without an attempt after a thread could not be started, and the most that this grows to. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * A model thread that is started again when it has died, of too little memory say. The question that it died with
 * fails, the next one is answered. Where the model cannot be loaded any more, attempts become rare, and all questions
 * in between fail at once.
 */
export class LastingModelThread {
  readonly #folder: ModelFolder;
  #thread: ModelThread;
  /** Threads that died one after the other without an answer. */
  #deaths = 0;
  /** The last of them. */
  #dead: ModelThread | undefined;
  /** No thread is started before, by `performance.now()`. */
  #pauseEnds = 0;

  /** @param thread the first one, of the same folder */
  constructor(folder: ModelFolder, thread: ModelThread) {
    this.#folder = folder;
    this.#thread = thread;
  }

  /** As `embed` of {@link ModelThread}. */
  async embed(texts: readonly string[]): Promise<EmbeddedTexts> {
    if (this.#thread.ended && performance.now() >= this.#pauseEnds) this.#thread = new ModelThread(this.#folder);
    const thread = this.#thread;
    try {
      const answer = await thread.embed(texts);
      this.#deaths = 0;
      return answer;
    } catch (error) {
      if (thread.ended && thread !== this.#dead) this.#noteDeath(thread);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** The first death is followed by a new thread at once, the others after pauses. */
  #noteDeath(thread: ModelThread): void {
    this.#dead = thread;
    this.#deaths += 1;
    if (this.#deaths === 1) return;
    this.#pauseEnds = performance.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#deaths - 1));
  }
}

/** The vectors of texts, and how long the model took for them. */
export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  readonly milliseconds: number;
}

/** What a model tells once it is loaded. */
export interface LoadedModel {
  /** The scripts that it can read; undefined if its vocabulary does not show them. */
  readonly scripts: readonly Script[] | undefined;
  /** Length of its vectors. */
  readonly dimensions: number;
}

/** A thread that holds a loaded model, seen from outside. Keeps the process alive only while it loads or embeds. */
export class ModelThread {
  /** Settles when the model is loaded. */
  readonly ready: Promise<LoadedModel>;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #requests: RequestQueue<EmbeddedTexts>;

  constructor({ path, weights, settings, languages }: ModelThreadData) {
    const data: ModelThreadData = { path, weights, settings, languages };
    this.#worker = startWorker(import.meta.url, 'model-thread', { workerData: data });
    this.#worker.ref();
    this.#requests = new RequestQueue(this.#worker, (error) =>
      error === undefined
        ? embedderFailed('the model thread ended')
        : embedderFailed(`the model thread failed: ${error.message}`, error),
    );
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: ModelThreadMessage) => {
        if (message.kind === 'ready') {
          resolve(message);
          this.#requests.keepAliveWhileWaiting();
        } else if (message.kind === 'failed') {
          const error = new SkillSearchError(message.code, message.message, { path });
          this.#requests.end(error);
          reject(error);
        } else this.#settle(message);
      });
      // A thread that cannot start no longer keeps the process alive when its `error` is told, so an `exit` may not
      // come.
      this.#worker.on('error', () => reject(this.#requests.ended));
      this.#worker.on('exit', () => reject(this.#requests.ended));
    });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    // This catch only prevents an unhandled rejection. The first request fails with the same error.
    this.ready.catch(() => {});
  }

  /** Whether the thread no longer answers. */
  get ended(): boolean {
    return this.#requests.ended !== undefined;
  }

  /** Embeds texts, after those of earlier calls. */
  embed(texts: readonly string[]): Promise<EmbeddedTexts> {
    const request: ModelThreadRequest = { kind: 'embed', texts };
    return this.#requests.ask(request);
  }

  /**
   * Ends the thread after its current text. Terminating a thread while the runtime embeds a text would end the whole
   * process.
   */
  async close(): Promise<void> {
    this.#requests.end(embedderFailed('the model thread was closed'));
    this.#worker.ref();
    const request: ModelThreadRequest = { kind: 'close' };
    this.#worker.postMessage(request);
    await this.#exited;
  }

  #settle(message: Extract<ModelThreadMessage, { kind: 'vectors' | 'error' }>): void {
    if (message.kind === 'error') {
      this.#requests.refuse(embedderFailed(`the model cannot embed the text: ${message.message}`));
      return;
    }
    const { values, dimensions, milliseconds } = message;
    const vectors: Float32Array[] = [];
    for (let start = 0; start < values.length; start += dimensions) {
      vectors.push(values.subarray(start, start + dimensions));
    }
    this.#requests.answer({ vectors, milliseconds });
  }
}

function embedderFailed(message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('EMBEDDER_FAILED', message, { cause });
}

/** The `workerData` of a model thread. */
export interface ModelThreadData {
  /** Absolute path of the model folder. */
  readonly path: string;
  /** The file with the model, in the folder. */
  readonly weights: string;
  readonly settings: Pick<ModelSettings, 'pooling' | 'maxTokens'>;
  /** What the folder says. Without, the scripts that the model reads are looked up in its vocabulary. */
  readonly languages: readonly string[] | undefined;
}

/** A message to a model thread. After `close` it sends no more answers, and ends. */
export type ModelThreadRequest =
  | { readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly kind: 'close' };

/** A message from a model thread: first `ready` or `failed`, then one answer for each request, in the same order. */
export type ModelThreadMessage =
  /**
   * With the scripts that the model can read by its vocabulary, undefined if they were not looked up or it shows none.
   */
  | { readonly kind: 'ready'; readonly scripts: readonly Script[] | undefined; readonly dimensions: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** With the vectors one after the other, and how long the model took for them. */
  | {
      readonly kind: 'vectors';
      readonly values: Float32Array<ArrayBuffer>;
      readonly dimensions: number;
      readonly milliseconds: number;
    }
  | { readonly kind: 'error'; readonly message: string };
