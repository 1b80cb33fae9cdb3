import type { Worker } from 'node:worker_threads';
import { SkillSearchError } from '../errors.js';
import { startWorker } from '../threads/start-worker.js';
import type { ModelFolder } from './model-folder.js';
import type { ModelThreadData, ModelThreadMessage, ModelThreadRequest } from './model-messages.js';
import type { Script } from './readable-share.js';

interface Waiting {
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that holds a loaded model, seen from outside. Keeps the process alive only while somebody waits for it. */
export class ModelThread {
  /** Settles when the model is loaded, or cannot be: the scripts that it reads, undefined where that is not known. */
  readonly ready: Promise<readonly Script[] | undefined>;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** In the order of the requests, which is the order of the answers. */
  readonly #waiting: Waiting[] = [];
  #ended: SkillSearchError | undefined;

  constructor({ path, dtype }: ModelFolder) {
    // From version 1.29 on onnxruntime sends telemetry unless the environment of the process, of which a thread has a
    // copy only, says so before it is loaded.
    process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
    const data: ModelThreadData = { path, dtype };
    this.#worker = startWorker(import.meta.url, 'model-thread', { workerData: data });
    this.#worker.ref();
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: ModelThreadMessage) => {
        if (message.kind === 'ready') resolve(message.scripts);
        else if (message.kind === 'failed') {
          this.#ended = new SkillSearchError(message.code, message.message, { path });
          reject(this.#ended);
        } else this.#settle(message);
        if (this.#ended === undefined) this.#refWhileAwaited();
      });
      this.#worker.on('error', (error) => this.#end(`the model thread failed: ${error.message}`, error));
      this.#worker.on('exit', () => {
        this.#end('the model thread ended');
        reject(this.#ended);
      });
    });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    // Whoever does not wait for it learns of a failure from the first request.
    this.ready.catch(() => {});
  }

  /** Whether it answers no more. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** Requests are answered one after the other. */
  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#tell({ kind: 'embed', texts });
      this.#waiting.push({ resolve, reject });
      this.#refWhileAwaited();
    });
  }

  /**
   * Ends the thread after the text it is at: ended from outside in the middle of one, the runtime takes the whole
   * process with it.
   */
  async close(): Promise<void> {
    this.#end('the model thread was closed');
    this.#worker.ref();
    this.#tell({ kind: 'close' });
    await this.#exited;
  }

  #tell(request: ModelThreadRequest): void {
    this.#worker.postMessage(request);
  }

  #settle(message: Extract<ModelThreadMessage, { kind: 'vectors' | 'error' }>): void {
    const waiting = this.#waiting.shift();
    if (message.kind === 'error') {
      waiting?.reject(new SkillSearchError('EMBEDDER_FAILED', `the model cannot embed the text: ${message.message}`));
      return;
    }
    const { values, dimensions } = message;
    const vectors: Float32Array[] = [];
    for (let start = 0; start < values.length; start += dimensions) {
      vectors.push(values.subarray(start, start + dimensions));
    }
    waiting?.resolve(vectors);
  }

  #end(message: string, cause?: unknown): void {
    this.#ended ??= new SkillSearchError('EMBEDDER_FAILED', message, { cause });
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended);
  }

  #refWhileAwaited(): void {
    if (this.#waiting.length > 0) this.#worker.ref();
    else this.#worker.unref();
  }
}
