import { parentPort, workerData } from 'node:worker_threads';
import type { JobMessage, JobThreadData } from './run-job.js';

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
