import { once } from 'node:events';
import { type ErrorMessage, errorOf, quietly, startWorker } from '../core/index.js';
import type { LoadProgress } from '../load/index.js';
import type { SourceWatch, WatchedChange, WatchOptions, WatchProblem } from './index.js';

/** What the thread of a watch is started with. */
export interface WatchThreadData {
  readonly options: Omit<WatchOptions, 'onProgress' | 'onChange' | 'onProblem' | 'signal'>;
  /** Whether the caller wants to know how far loads are. */
  readonly progress: boolean;
}

/** What the thread of a watch sends. */
export type WatchMessage =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly error: ErrorMessage }
  | { readonly kind: 'onChange'; readonly event: WatchedChange }
  | { readonly kind: 'onProgress'; readonly event: LoadProgress }
  | {
      readonly kind: 'onProblem';
      readonly event: Omit<WatchProblem, 'error'>;
      readonly error: ErrorMessage | undefined;
    };

/**
 * Watches in a thread of its own, so that loads do not hold up this one. Its loads start threads of their own, as
 * others do.
 *
 * @param options checked, but for what only the thread can check; without an embedder
 */
export async function watchInThread({
  onProgress,
  onChange,
  onProblem,
  signal,
  ...options
}: WatchOptions): Promise<SourceWatch> {
  signal?.throwIfAborted();
  const data: WatchThreadData = { options: { ...options, thread: false }, progress: onProgress !== undefined };
  // Standard output may be for messages of a protocol.
  const worker = startWorker(import.meta.url, 'watch-thread', { workerData: data, stdout: true });
  worker.ref();
  const report = { onChange: quietly(onChange), onProblem: quietly(onProblem), onProgress: quietly(onProgress) };
  let isClosing = false;
  const exit = once(worker, 'exit').catch((error: unknown) => error);
  const close = async (): Promise<void> => {
    if (!isClosing) worker.postMessage('close');
    isClosing = true;
    signal?.removeEventListener('abort', abort);
    await exit;
  };
  const abort = (): void => void close();
  signal?.addEventListener('abort', abort, { once: true });
  const started = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: WatchMessage) => {
      if (message.kind === 'started') resolve();
      else if (message.kind === 'refused') reject(errorOf(message.error));
      else if (isClosing) return;
      else if (message.kind === 'onChange') report.onChange(message.event);
      else if (message.kind === 'onProgress') report.onProgress(message.event);
      else report.onProblem({ ...message.event, ...(message.error && { error: errorOf(message.error) }) });
    });
    void exit.then((error: unknown) => {
      const reason = error instanceof Error ? `: ${error.message}` : '';
      const message = `the sources are watched no more, because the thread has ended${reason}`;
      reject(new Error(message));
      if (!isClosing) report.onProblem({ kind: 'ended', message, error });
    });
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
