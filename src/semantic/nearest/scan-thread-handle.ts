import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../threads/start-worker.js';
import type { ScanRequest } from './scan-thread.js';
import type { VectorCodes } from './vector-codes.js';

interface Waiting {
  readonly resolve: (places: Uint32Array) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that scans codes, seen from outside. Keeps the process alive only while somebody waits for it. */
export class ScanThread {
  readonly #worker: Worker;
  /** In the order of the requests, which is the order of the answers. */
  readonly #waiting: Waiting[] = [];
  #ended: Error | undefined;

  constructor(codes: VectorCodes) {
    this.#worker = startWorker(import.meta.url, 'scan-thread', { workerData: codes });
    this.#worker.on('message', (places: Uint32Array) => {
      this.#waiting.shift()?.resolve(places);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the scan thread ended')));
  }

  /** Whether it answers no more. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** See {@link scanCodes}. */
  scan(query: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#worker.ref();
      const request: ScanRequest = { query, k, mask };
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#ended);
  }
}
