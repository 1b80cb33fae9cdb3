import type { Worker } from 'node:worker_threads';

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The requests to a thread that answers them in their order. The thread keeps the process alive only while a request
 * waits for its answer.
 */
export class RequestQueue<Answer> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Answer>[] = [];
  #ended: Error | undefined;

  /**
   * @param worker the caller passes its answers on to {@link answer} or {@link refuse}
   * @param endedBy makes the error of all requests after the thread failed with an error, or ended without one
   */
  constructor(worker: Worker, endedBy: (error: Error | undefined) => Error) {
    this.#worker = worker;
    worker.on('error', (error) => this.end(endedBy(error)));
    worker.on('exit', () => this.end(endedBy(undefined)));
  }

  /** The error of all further requests; undefined as long as the thread answers. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Sends a request. */
  ask(request: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#worker.postMessage(request);
      this.#waiting.push({ resolve, reject });
      this.keepAliveWhileWaiting();
    });
  }

  /** Settles the oldest request. */
  answer(answer: Answer): void {
    this.#waiting.shift()?.resolve(answer);
    this.keepAliveWhileWaiting();
  }

  /** Rejects the oldest request. */
  refuse(error: Error): void {
    this.#waiting.shift()?.reject(error);
    this.keepAliveWhileWaiting();
  }

  /** Rejects all requests, also later ones. The first error counts. */
  end(error: Error): void {
    // Who closes the thread waits for its exit, and a last message of it may not stop that.
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    this.#worker.unref();
  }

  /** Lets the thread keep the process alive if a request waits, and not otherwise. */
  keepAliveWhileWaiting(): void {
    if (this.#ended !== undefined) return;
    if (this.#waiting.length > 0) this.#worker.ref();
    else this.#worker.unref();
  }
}
