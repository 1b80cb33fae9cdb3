import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorMessage, messageOf } from '../core/index.js';
import type { FollowReply, FollowRequest, FollowThreadData } from './follow-copy.js';
import { keeperOf } from './keepers.js';

// The thread that keeps a replica up to date: it looks again and again until it is told to close.

const { interval, ...place } = workerData as FollowThreadData;
const port = parentPort!;
const report = (reply: FollowReply): void => port.postMessage(reply);
const closing = new AbortController();
const keeper = keeperOf(place);
let running: Promise<ErrorMessage | undefined> | undefined;
let indexing: Promise<void> | undefined;
/** What was reported of index files that could not be written. */
const warned = new Set<string>();

/** Joins the look that is running. */
function look(fromNothing = false): Promise<ErrorMessage | undefined> {
  running ??= lookOnce(fromNothing).finally(() => {
    running = undefined;
  });
  return running;
}

async function lookOnce(fromNothing: boolean): Promise<ErrorMessage | undefined> {
  const { signal } = closing;
  try {
    const looked = await keeper.look({ signal, fromNothing, index: 'words' });
    report({ kind: 'agreed', ...looked });
    // Vectors can be searched without their index, which takes minutes: no look waits for it, unless there is a newer revision.
    indexing ??= keeper
      .index({ signal, onWarning: ({ origin, message }) => warn(`${origin}: ${message}`) })
      .catch((error: unknown) => warn(messageOf(error).message))
      .finally(() => {
        indexing = undefined;
      });
    return undefined;
  } catch (error) {
    const plain = messageOf(error);
    if (!signal.aborted) report({ kind: 'failed', error: plain });
    return plain;
  }
}

/** What fails again and again is reported once. */
function warn(message: string): void {
  if (!closing.signal.aborted && !warned.has(message)) report({ kind: 'warned', message });
  warned.add(message);
}

async function answer(fromNothing: boolean): Promise<void> {
  // One that is running may have looked before what the caller means.
  while (running !== undefined) await running;
  report({ kind: 'looked', error: await look(fromNothing) });
}

const timer = setInterval(() => void look(), interval);
port.on('message', (request: FollowRequest) => {
  if (request.kind === 'look') void answer(request.fromNothing);
  else void close();
});
void look();

async function close(): Promise<void> {
  clearInterval(timer);
  closing.abort();
  await running;
  await indexing;
  await keeper.close();
  port.close();
}
