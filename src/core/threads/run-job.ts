import { once } from 'node:events';
import { startWorker } from './start-worker.js';

/** What a thread that does one job is started with. */
export interface JobThreadData<Data> {
  readonly data: Data;
  /** One element in shared memory: not 0 as soon as the thread should stop. */
  readonly stop: Int32Array;
}

/** What a thread that does one job sends. */
export type JobMessage<Result> =
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
