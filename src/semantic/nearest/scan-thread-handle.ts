import type { Worker } from 'node:worker_threads';
import { RequestQueue, startWorker } from '../../core/index.js';
import type { ScanRequest } from './scan-thread.js';
import type { VectorCodes } from './vector-codes.js';

/** A thread that scans codes, seen from outside. Keeps the process alive only while a scan runs. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #requests: RequestQueue<Uint32Array>;

  constructor(codes: VectorCodes) {
    this.#worker = startWorker(import.meta.url, 'scan-thread', { workerData: codes });
    this.#requests = new RequestQueue(this.#worker, (error) => error ?? new Error('the scan thread ended'));
    this.#worker.on('message', (places: Uint32Array) => this.#requests.answer(places));
  }

  /** Whether the thread no longer answers. */
  get ended(): boolean {
    return this.#requests.ended !== undefined;
  }

  /** See {@link scanCodes}. */
  scan(question: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    const request: ScanRequest = { question, k, mask };
    return this.#requests.ask(request);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
