import { SkillSearchError } from '../errors.js';
import { untilAborted } from '../threads/abort.js';
import type { Embedder, EmbedOptions } from './embedder.js';
import type { ModelFolder } from './model-folder.js';
import { ModelThread } from './model-thread-handle.js';
import { readableShare, type Script } from './readable-share.js';

/**
 * Texts that a thread gets at once: enough to make messages cheap beside the embedding, few enough that a question
 * which comes during a load does not wait long.
 */
const CHUNK = 16;

interface Chunk {
  readonly texts: readonly string[];
  readonly done: (vectors: readonly Float32Array[]) => void;
  readonly failed: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/** An {@link Embedder} that runs a model of a local folder in worker threads. */
export class LocalEmbedder implements Embedder {
  readonly model: string;
  readonly #folder: ModelFolder;
  /** The scripts that the model can read; undefined if unknown. */
  readonly #scripts: readonly Script[] | undefined;
  readonly #threads: Set<ModelThread>;
  readonly #idle: ModelThread[];
  readonly #queue: Chunk[] = [];
  #closed = false;

  private constructor(folder: ModelFolder, threads: readonly ModelThread[], scripts: readonly Script[] | undefined) {
    this.model = folder.id;
    this.#folder = folder;
    this.#scripts = scripts;
    this.#threads = new Set(threads);
    this.#idle = [...threads];
  }

  /**
   * Loads the model.
   *
   * @param threads how many texts are embedded at the same time; more than one per core does not pay
   * @throws {SkillSearchError} `MODEL_RUNTIME_MISSING`, `MODEL_NOT_READABLE`
   */
  static async start(folder: ModelFolder, threads: number): Promise<LocalEmbedder> {
    const started = Array.from({ length: threads }, () => new ModelThread(folder));
    try {
      const [scripts] = await Promise.all(started.map((thread) => thread.ready));
      return new LocalEmbedder(folder, started, scripts);
    } catch (error) {
      await Promise.all(started.map((thread) => thread.close()));
      throw error;
    }
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const chunks: Promise<readonly Float32Array[]>[] = [];
    for (let start = 0; start < texts.length; start += CHUNK) {
      const part = texts.slice(start, start + CHUNK);
      chunks.push(
        new Promise((done, failed) => {
          this.#queue.push({ texts: part, done, failed, signal });
        }),
      );
    }
    this.#next();
    return (await untilAborted(Promise.all(chunks), signal)).flat();
  }

  readableShare(question: string): number {
    return this.#scripts === undefined ? 1 : readableShare(question, this.#scripts);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const chunk of this.#queue.splice(0)) chunk.failed(closedError());
    await Promise.all([...this.#threads].map((thread) => thread.close()));
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
      const thread = this.#idle.pop();
      if (thread === undefined) return;
      void this.#run(thread, this.#queue.shift()!);
    }
  }

  async #run(thread: ModelThread, chunk: Chunk): Promise<void> {
    try {
      chunk.done(await thread.embed(chunk.texts));
    } catch (error) {
      chunk.failed(error);
    }
    this.#idle.push(thread.ended && !this.#closed ? this.#replace(thread) : thread);
    this.#next();
  }

  /** Starts a new thread in place of one that died, of too little memory say, so that later questions are answered. */
  #replace(dead: ModelThread): ModelThread {
    const thread = new ModelThread(this.#folder);
    this.#threads.delete(dead);
    this.#threads.add(thread);
    return thread;
  }
}

function closedError(): SkillSearchError {
  return new SkillSearchError('SERVICE_UNAVAILABLE', 'the embedder was closed');
}
