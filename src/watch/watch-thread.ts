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
    onProgress: progress ? (event) => tell({ kind: 'onProgress', event }) : undefined,
    onChange: (event) => tell({ kind: 'onChange', event }),
    onProblem: ({ error, ...event }) =>
      tell({ kind: 'onProblem', event, error: error === undefined ? undefined : messageOf(error) }),
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
