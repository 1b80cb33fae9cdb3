import { once } from 'node:events';
import {
  getEnvironmentData,
  parentPort,
  setEnvironmentData,
  Worker,
  type WorkerOptions,
  workerData,
} from 'node:worker_threads';
import { type Resolvers, withResolvers } from '../promises.js';

/** What a thread that does one job is started with. */
interface JobThreadData<Data> {
  readonly data: Data;
  /** One element in shared memory: not 0 as soon as the thread should stop. */
  readonly stop: Int32Array;
}

/** What a thread that does one job sends. */
type JobMessage<Result> =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

export interface JobOptions<Data> {
  /** Copied to the thread; memory in it that threads can share is shared. */
  readonly data: Data;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * How the thread stops. `ask` lets it go on to the next time that it looks whether to stop: for native code, which
   * must not be terminated.
   * @default 'terminate'
   */
  readonly stop?: 'terminate' | 'ask';
}

/**
 * Starts a thread that does one job, see `jobInThread`, and waits until the thread has ended. Keeps the process alive.
 *
 * @param base `import.meta.url` of the caller
 * @param name file of the thread beside the caller, without its extension
 * @returns the result of the job
 * @throws Error if the job fails or the thread ends without a result
 * @throws what `onProgress` throws; the thread is stopped first
 * @throws the signal's reason when aborted
 */
export async function runJob<Data, Result>(
  base: string,
  name: string,
  { data, signal, onProgress, stop: stopMode = 'terminate' }: JobOptions<Data>,
): Promise<Result> {
  signal?.throwIfAborted();
  const workerData: JobThreadData<Data> = { data, stop: new Int32Array(new SharedArrayBuffer(4)) };
  const thread = startWorker(base, name, { workerData });
  thread.ref();
  const stop = (): void => {
    if (stopMode === 'terminate') void thread.terminate();
    else Atomics.store(workerData.stop, 0, 1);
  };
  signal?.addEventListener('abort', stop, { once: true });
  let failure: { readonly error: unknown } | undefined;
  let success: { readonly result: Result } | undefined;
  thread.on('message', (message: JobMessage<Result>) => {
    if (message.kind === 'result') success = message;
    else if (message.kind === 'failed') failure ??= { error: new Error(message.message) };
    else if (failure === undefined) {
      try {
        onProgress?.(message.done, message.total);
      } catch (error) {
        failure = { error };
        stop();
      }
    }
  });
  await once(thread, 'exit').catch((error: unknown) => {
    failure ??= { error };
  });
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure.error;
  if (success === undefined) throw new Error(`the thread ${name} ended without a result`);
  return success.result;
}

/** The job of a thread, seen from inside. */
export interface Job<Data> {
  readonly data: Data;
  /** Reports progress to the thread that waits for the job. */
  progress(done: number, total: number): void;
  /** Ends the job here if it should stop. Call it often, and let the error that it throws pass. */
  throwIfStopped(): void;
}

/** Thrown to end a job that should stop. Nobody outside the thread sees it. */
class JobStoppedError extends Error {
  override readonly name = 'JobStoppedError';
}

/**
 * Does the job that `runJob` started this thread for, and sends its result or its failure.
 *
 * @param memoryIn memory of the result that is transferred instead of copied
 */
export async function jobInThread<Data, Result>(
  work: (job: Job<Data>) => Result | Promise<Result>,
  memoryIn: (result: Result) => ArrayBuffer[] = () => [],
): Promise<void> {
  const { data, stop } = workerData as JobThreadData<Data>;
  const send = (message: JobMessage<Result>, memory: ArrayBuffer[] = []): void => {
    parentPort?.postMessage(message, memory);
  };
  try {
    const result = await work({
      data,
      progress: (done, total) => send({ kind: 'progress', done, total }),
      throwIfStopped: () => {
        if (Atomics.load(stop, 0) !== 0) throw new JobStoppedError();
      },
    });
    send({ kind: 'result', result }, memoryIn(result));
  } catch (error) {
    if (error instanceof JobStoppedError) return;
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * Starts a thread of this library. It does not keep the process alive.
 *
 * @param base `import.meta.url` of the caller
 * @param name file of the thread beside the caller, without its extension
 */
export function startWorker(base: string, name: string, options: WorkerOptions = {}): Worker {
  // onnxruntime sends telemetry from version 1.29 on, unless this variable of the process is set before it is loaded. A
  // thread has only a copy of the variables, and may load a model in a thread of its own: the main thread sets it.
  process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
  guardNativeCode();
  // The thread does not inherit the options of the process: with some, such as --input-type, no thread can start.
  const worker = base.endsWith('.ts')
    ? new Worker(importOfSource(new URL(`./${name}.ts`, base)), { ...options, execArgv: [], eval: true })
    : new Worker(new URL(`./${name}.js`, base), { ...options, execArgv: [] });
  worker.unref();
  return worker;
}

/** Tests and benchmarks run the TypeScript sources. A thread cannot read TypeScript before it registers a loader. */
function importOfSource(url: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); });`;
}

/**
 * Node ends its threads when the process exits. A native addon that is then called, or returns, throws where nobody
 * can catch it, and the process aborts. So a process that exits waits until no thread is in such code, and none goes
 * into it any more. Shared by all threads of a process, also by those that threads start.
 */
const SHARED = 'skill-discovery: threads in native code';

/** Places in the shared memory: how many threads are in native code, and whether the process exits. */
const [RUNNING, EXITING] = [0, 1];

/**
 * The most milliseconds that an exit waits. On a machine that is busy or swaps a model may take long to load; else only
 * a thread that died in native code takes as long. Node itself waits without end until threads have left native code.
 */
const LONGEST_WAIT = 60_000;

/** Must be called before a thread starts that calls {@link inNativeCode}. */
function guardNativeCode(): void {
  if (getEnvironmentData(SHARED) !== undefined) return;
  const state = new Int32Array(new SharedArrayBuffer(8));
  setEnvironmentData(SHARED, state);
  process.on('exit', () => {
    Atomics.store(state, EXITING, 1);
    const end = performance.now() + LONGEST_WAIT;
    for (let left = LONGEST_WAIT; left > 0; left = end - performance.now()) {
      const running = Atomics.load(state, RUNNING);
      if (running === 0) return;
      Atomics.wait(state, RUNNING, running, left);
    }
  });
}

/** Calls a native addon in a thread. Does not return if the process exits before. */
export async function inNativeCode<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const state = getEnvironmentData(SHARED) as Int32Array | undefined;
  if (state === undefined) return work();
  // First this, then the look, as the process first says that it exits and then looks: one of both sees the other.
  Atomics.add(state, RUNNING, 1);
  try {
    if (Atomics.load(state, EXITING) === 0) return await work();
  } finally {
    Atomics.sub(state, RUNNING, 1);
    Atomics.notify(state, RUNNING);
  }
  // Node is about to end this thread.
  return new Promise(() => {});
}

/**
 * The requests to a thread that answers them in their order. The thread keeps the process alive only while a request
 * waits for its answer.
 */
export class RequestQueue<Answer> {
  readonly #worker: Worker;
  readonly #waiting: Resolvers<Answer>[] = [];
  /** The error of all further requests; undefined as long as the thread answers. */
  ended: Error | undefined;

  /**
   * @param worker the caller passes its answers on to {@link answer} or {@link refuse}
   * @param endedBy makes the error of all requests after the thread failed with an error, or ended without one
   */
  constructor(worker: Worker, endedBy: (error: Error | undefined) => Error) {
    this.#worker = worker;
    worker.on('error', (error) => this.end(endedBy(error)));
    worker.on('exit', () => this.end(endedBy(undefined)));
  }

  /** Sends a request. */
  async ask(request: unknown): Promise<Answer> {
    if (this.ended !== undefined) throw this.ended;
    this.#worker.postMessage(request);
    const waiting = withResolvers<Answer>();
    this.#waiting.push(waiting);
    this.keepAliveWhileWaiting();
    return waiting.promise;
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
    if (this.ended !== undefined) return;
    this.ended = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    this.#worker.unref();
  }

  /** Lets the thread keep the process alive if a request waits, and not otherwise. */
  keepAliveWhileWaiting(): void {
    if (this.ended !== undefined) return;
    if (this.#waiting.length > 0) this.#worker.ref();
    else this.#worker.unref();
  }
}
