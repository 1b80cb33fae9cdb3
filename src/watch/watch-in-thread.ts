import { once } from 'node:events';
import { errorOf, startWorker } from '../core/index.js';
import type { WatchMessage, WatchThreadData } from './thread-messages.js';
import type { SourceWatch, WatchOptions } from './watch-options.js';

/**
 * Watches in a thread of its own, so that loads do not hold up this one. Its loads start threads of their own, as
 * others do.
 *
 * @param options checked, but for what only the thread can check; without `thread` and `embedder`
 */
export async function watchInThread({
  onProgress,
  onChange,
  onProblem,
  signal,
  ...options
}: WatchOptions): Promise<SourceWatch> {
  signal?.throwIfAborted();
  const data: WatchThreadData = { options, progress: onProgress !== undefined };
  // Standard output may be for messages of a protocol.
  const worker = startWorker(import.meta.url, 'watch-thread', { workerData: data, stdout: true });
  worker.ref();
  let isClosing = false;
  const exit = once(worker, 'exit').catch((error: unknown) => error);
  const close = async (): Promise<void> => {
    if (!isClosing) {
      isClosing = true;
      signal?.removeEventListener('abort', abort);
      worker.postMessage('close');
    }
    await exit;
  };
  const abort = (): void => void close();
  signal?.addEventListener('abort', abort, { once: true });

  const quietly = (call: () => void): void => {
    try {
      call();
    } catch {
      // A listener that fails must not end the watch.
    }
  };
  const { promise: started, resolve, reject } = newPromise();
  worker.on('message', (message: WatchMessage) => {
    if (message.kind === 'started') resolve();
    else if (message.kind === 'refused') reject(errorOf(message.error));
    else if (isClosing) return;
    else if (message.kind === 'change') quietly(() => onChange?.(message.change));
    else if (message.kind === 'progress') quietly(() => onProgress?.(message.progress));
    else {
      const { problem, error } = message;
      quietly(() => onProblem?.(error === undefined ? problem : { ...problem, error: errorOf(error) }));
    }
  });
  void exit.then((error: unknown) => {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    const message = `the sources are watched no more, because the thread has ended${reason}`;
    reject(new Error(message));
    if (!isClosing) quietly(() => onProblem?.({ kind: 'ended', message, error }));
  });
  try {
    await started;
  } catch (error) {
    await close();
    signal?.throwIfAborted();
    throw error;
  }
  return { close, [Symbol.asyncDispose]: close };
}

function newPromise(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve = (): void => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((keep, refuse) => {
    resolve = keep;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
