import type { Worker } from 'node:worker_threads';
import { RequestQueue, SkillSearchError, startWorker } from '../core/index.js';
import type { ModelThreadData, ModelThreadMessage, ModelThreadRequest } from './model-messages.js';
import type { Script } from './readable-share.js';

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
