import type { Worker } from 'node:worker_threads';
import { type ErrorCode, RequestQueue, SkillSearchError, startWorker, untilAborted } from '../core/index.js';
import { type Embedder, type EmbedOptions, TEXTS_PER_THREAD } from './embedder.js';
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

/** Before anything was measured, the milliseconds for a token. */
const FIRST_GUESS = 0.15;
/** How much of each measurement goes into the average: the last thirty or so count. */
const WEIGHT_OF_NEWEST = 1 / 16;
/**
 * A measurement counts as this many times the average at most: one stall must not last for the next fifty questions.
 */
const MOST_SURPRISE = 4;

/** What texts are handed to: a thread of this process, or the model that processes of a user share. */
export interface TextThread {
  /** Settles when texts can be embedded. */
  readonly ready: Promise<LoadedModel>;
  /** Embeds texts, after those of earlier calls. */
  embed(texts: readonly string[]): Promise<EmbeddedTexts>;
  close(): Promise<void>;
}

export type StartThread = (data: ModelThreadData) => TextThread;

export const startOwn: StartThread = (data) => new ModelThread(data);

/** Runs a model of a local folder in worker threads. */
export class LocalEmbedder implements Embedder {
  readonly model: string;
  /** Length of the vectors; 0 if the model is not loaded yet. */
  readonly dimensions: number;
  /** The scripts that the model can read; undefined if unknown. */
  readonly #scripts: readonly Script[] | undefined;
  readonly #folder: ModelFolder;
  /** How many threads there may be. */
  readonly #most: number;
  readonly #threads: TextThread[];
  readonly #idle: TextThread[];
  readonly #start: StartThread;
  readonly #queue: Chunk[] = [];
  readonly #running = new Set<Running>();
  /** Milliseconds that a token takes, as far as is known. */
  #perToken = FIRST_GUESS;
  #closed = false;

  private constructor(
    folder: ModelFolder,
    most: number,
    start: StartThread,
    threads: TextThread[],
    loaded?: LoadedModel,
  ) {
    this.model = folder.id;
    this.dimensions = loaded?.dimensions ?? 0;
    this.#folder = folder;
    this.#most = most;
    this.#start = start;
    this.#scripts = folder.languages === undefined ? loaded?.scripts : scriptsOf(folder.languages);
    this.#threads = threads;
    this.#idle = [...threads];
  }

  /**
   * Loads the model.
   *
   * @param threads how many texts are embedded at the same time; more than one per core does not pay
   * @param first thread of the same folder that loads already; it counts as one of them
   * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
   */
  static async start(
    folder: ModelFolder,
    threads: number,
    first?: TextThread,
    start: StartThread = startOwn,
  ): Promise<LocalEmbedder> {
    const started = Array.from({ length: threads }, (_, i) => (i === 0 && first) || start(folder));
    try {
      const [loaded] = await Promise.all(started.map((thread) => thread.ready));
      return new LocalEmbedder(folder, threads, start, started, loaded);
    } catch (error) {
      await Promise.all(started.map((thread) => thread.close()));
      throw error;
    }
  }

  /**
   * As {@link start}, but loads the model when the first text comes. Then texts wait for it, and fail if it cannot be
   * loaded. Threads are added only while many texts wait. What scripts the model reads is known by its languages only.
   */
  static startWhenUsed(folder: ModelFolder, threads: number, start: StartThread = startOwn): LocalEmbedder {
    return new LocalEmbedder(folder, threads, start, []);
  }

  async embed(
    texts: readonly string[],
    { signal, purpose = 'document' }: EmbedOptions = {},
  ): Promise<readonly Float32Array[]> {
    signal?.throwIfAborted();
    const prefix = this.#folder.settings[purpose];
    const chunks: Promise<readonly Float32Array[]>[] = [];
    const order = byLength(texts);
    for (let start = 0; start < texts.length; start += CHUNK) {
      const part = Array.from(order.subarray(start, start + CHUNK), (text) => prefix + texts[text]!);
      chunks.push(new Promise((done, failed) => void this.#queue.push({ texts: part, done, failed, signal })));
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
      work += Math.abs(tokensOf(texts) * this.#perToken - (now - began));
    }
    for (const { texts, signal } of this.#queue) {
      if (signal?.aborted !== true) work += tokensOf(texts) * this.#perToken;
    }
    return work / this.#threads.length;
  }

  readableShare(question: string): number {
    return this.#scripts === undefined ? 1 : readableShare(question, this.#scripts);
  }

  readsLanguage(language: string): boolean {
    return this.#folder.languages?.includes(language) ?? probablyReads(language, this.#scripts);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const chunk of this.#queue.splice(0)) chunk.failed(closedError());
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #next(): void {
    for (let [chunk] = this.#queue; chunk !== undefined; [chunk] = this.#queue) {
      // Nobody waits for an aborted chunk any more.
      const isGivenUp = this.#closed || chunk.signal?.aborted === true;
      const thread = isGivenUp ? undefined : (this.#idle.pop() ?? this.#startAnother());
      if (!isGivenUp && thread === undefined) return;
      this.#queue.shift();
      if (thread === undefined) chunk.failed(this.#closed ? closedError() : chunk.signal?.reason);
      else void this.#run(thread, chunk);
    }
  }

  /** Another thread, if there may be one and it pays. */
  #startAnother(): TextThread | undefined {
    const running = this.#threads.length;
    if (running >= this.#most || (running > 0 && this.#queue.length * CHUNK < TEXTS_PER_THREAD)) return undefined;
    const thread = this.#start(this.#folder);
    this.#threads.push(thread);
    return thread;
  }

  async #run(thread: TextThread, { texts, done, failed }: Chunk): Promise<void> {
    const running: Running = { texts, began: performance.now() };
    this.#running.add(running);
    try {
      const { vectors, milliseconds } = await thread.embed(texts);
      const measured = Math.min(milliseconds / tokensOf(texts), this.#perToken * MOST_SURPRISE);
      this.#perToken += (measured - this.#perToken) * WEIGHT_OF_NEWEST;
      done(vectors);
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

function tokensOf(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) tokens += COST_OF_TEXT + Math.min(MOST_TOKENS, Buffer.byteLength(text) / BYTES_PER_TOKEN);
  return tokens;
}

/** The vectors of texts, and how long the model took for them. */
export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  readonly milliseconds: number;
}

/** What a model tells once it is loaded. */
export interface LoadedModel {
  /** The scripts that it can read; undefined if they were not looked up, or its vocabulary does not show them. */
  readonly scripts: readonly Script[] | undefined;
  /** Length of its vectors. */
  readonly dimensions: number;
}

/** Milliseconds without an attempt after a thread could not be started, and the most that this grows to. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * A thread that holds a loaded model, seen from outside. Keeps the process alive only while it loads or embeds.
 *
 * It is started again when it has died, of too little memory say. The question that it died with fails, the next one
 * is answered. Where the model cannot be loaded any more, attempts become rare, and all questions in between fail at
 * once.
 */
export class ModelThread implements TextThread {
  /** Settles when the model is loaded for the first time. */
  readonly ready: Promise<LoadedModel>;
  readonly #data: ModelThreadData;
  #worker!: Worker;
  #requests!: RequestQueue<EmbeddedTexts>;
  #exited!: Promise<void>;
  /** How often it died without an answer in between. */
  #deaths = 0;
  /** It is not started before, by `performance.now()`. */
  #pauseEnds = 0;

  constructor({ path, weights, settings, languages }: ModelThreadData) {
    this.#data = { path, weights, settings, languages };
    this.ready = this.#start();
  }

  async embed(texts: readonly string[]): Promise<EmbeddedTexts> {
    if (this.#requests.ended !== undefined && performance.now() >= this.#pauseEnds) void this.#start();
    const request: ModelThreadRequest = { kind: 'embed', texts };
    const answer = await this.#requests.ask(request);
    this.#deaths = 0;
    return answer;
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

  #start(): Promise<LoadedModel> {
    const worker = startWorker(import.meta.url, 'model-thread', { workerData: this.#data });
    worker.ref();
    const requests = new RequestQueue<EmbeddedTexts>(worker, (error) => {
      this.#noteDeath(requests);
      return error === undefined
        ? embedderFailed('the model thread ended')
        : embedderFailed(`the model thread failed: ${error.message}`, error);
    });
    const ready = new Promise<LoadedModel>((resolve, reject) => {
      worker.on('message', (message: ModelThreadMessage) => {
        if (message.kind === 'vectors') requests.answer(embeddedTexts(message));
        else if (message.kind === 'error') {
          requests.refuse(embedderFailed(`the model cannot embed the text: ${message.message}`));
        } else if (message.kind === 'ready') {
          resolve(message);
          requests.keepAliveWhileWaiting();
        } else {
          this.#noteDeath(requests);
          requests.end(new SkillSearchError(message.code, message.message, { path: this.#data.path }));
          reject(requests.ended);
        }
      });
      // A thread that cannot start no longer keeps the process alive when its `error` is told, so an `exit` may not
      // come.
      worker.on('error', () => reject(requests.ended));
      worker.on('exit', () => reject(requests.ended));
    });
    // This catch only prevents an unhandled rejection. The first request fails with the same error.
    ready.catch(() => {});
    this.#worker = worker;
    this.#requests = requests;
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    return ready;
  }

  /** The first death is followed by a new thread at once, the others after pauses. */
  #noteDeath(requests: RequestQueue<EmbeddedTexts>): void {
    if (requests.ended !== undefined) return;
    this.#deaths += 1;
    if (this.#deaths === 1) return;
    this.#pauseEnds = performance.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#deaths - 1));
  }
}

/** Takes vectors that lie one after the other apart. */
export function embeddedTexts({ values, dimensions, milliseconds }: Omit<VectorsMessage, 'kind'>): EmbeddedTexts {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < values.length; start += dimensions) {
    vectors.push(values.subarray(start, start + dimensions));
  }
  return { vectors, milliseconds };
}

function embedderFailed(message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('EMBEDDER_FAILED', message, { cause });
}

/** The `workerData` of a model thread. */
export interface ModelThreadData extends Pick<ModelFolder, 'path' | 'weights' | 'languages'> {
  readonly settings: Pick<ModelSettings, 'pooling' | 'maxTokens'>;
}

/** A message to a model thread. After `close` it sends no more answers, and ends. */
export type ModelThreadRequest =
  | { readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly kind: 'close' };

/** A message from a model thread: first `ready` or `failed`, then one answer for each request, in the same order. */
export type ModelThreadMessage =
  | ({ readonly kind: 'ready' } & LoadedModel)
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  | VectorsMessage
  | { readonly kind: 'error'; readonly message: string };

/** Vectors one after the other, and how long the model took for them. */
interface VectorsMessage {
  readonly kind: 'vectors';
  readonly values: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
  readonly milliseconds: number;
}
