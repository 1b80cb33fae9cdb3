import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../core/index.js';
import { startWatch } from './start-watch.js';
import type { WatchMessage, WatchThreadData } from './watch-in-thread.js';

// The thread of a watch. It ends when it is told anything.

const { options, progress } = workerData as WatchThreadData;
const port = parentPort!;
const tell = (message: WatchMessage): void => port.postMessage(message);
const stop = new AbortController();
port.once('message', () => stop.abort());

try {
  const watch = await startWatch({
    ...options,
    onProgress: progress ? (state) => tell({ kind: 'progress', progress: state }) : undefined,
    onChange: (change) => tell({ kind: 'change', change }),
    onProblem: ({ error, ...problem }) =>
      tell({ kind: 'problem', problem, ...(error === undefined ? {} : { error: messageOf(error) }) }),
    signal: stop.signal,
  });
  tell({ kind: 'started' });
  if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  await watch.close();
} catch (error) {
  tell({ kind: 'refused', error: messageOf(error) });
} finally {
  port.close();
}
