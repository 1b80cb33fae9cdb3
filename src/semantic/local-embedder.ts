import { SkillSearchError, untilAborted } from '../core/index.js';
import type { Embedder, EmbedOptions } from './embedder.js';
import { EmbeddingTimes } from './embedding-times.js';
import { LastingModelThread } from './lasting-model-thread.js';
import type { ModelFolder } from './model-folder.js';
import { probablyReads, scriptsOf } from './model-languages.js';
import { type LoadedModel, ModelThread } from './model-thread-handle.js';
import { readableShare, type Script } from './readable-share.js';

/**
 * Texts that a thread gets at once: enough of like length to go through the model together, few enough that a question
 * which comes during a load does not wait long.
 */
const CHUNK = 32;

/** Texts for which another thread is started: starting one takes as long as embedding this many. */
export const TEXTS_PER_THREAD = 100;

/** How the models of this machine embed, beside what any embedder knows. */
export interface LocalEmbedOptions extends EmbedOptions {
  /** Called with the vector of the first of a few texts as soon as it is there. Those behind it are still embedded. */
  readonly onFirst?: ((vector: Float32Array) => void) | undefined;
}

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

/** An {@link Embedder} that runs a model of a local folder in worker threads. */
export class LocalEmbedder implements Embedder {
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
