import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorMessage, messageOf } from '../../core/index.js';
import { readPostgresAddress } from '../postgres/postgres-address.js';
import { CATALOGUE_NAME } from '../snapshot/manifest.js';
import { CopyKeeper } from './copy-keeper.js';
import type { FollowReply, FollowRequest, FollowThreadData } from './follow-messages.js';
import { IndexedCopy } from './indexed-copy.js';
import type { SharedState } from './shared-state.js';

// The thread that keeps a copy up to date: it looks again and again, whoever asks, until it is told to close.

const { address, passwordFile, folder, interval } = workerData as FollowThreadData;
const port = parentPort!;
const tell = (reply: FollowReply): void => port.postMessage(reply);
const closing = new AbortController();
const keeper = new CopyKeeper({ address: readPostgresAddress('database', address), passwordFile, folder });
let running: Promise<ErrorMessage | undefined> | undefined;
let indexing: Promise<void> | undefined;
const indexed = new IndexedCopy(join(folder, CATALOGUE_NAME));
/** What was told of derived files that could not be written. */
const told = new Set<string>();

/** Joins the look that is running. */
function look(anew = false): Promise<ErrorMessage | undefined> {
  running ??= lookOnce(anew).finally(() => {
    running = undefined;
  });
  return running;
}

async function lookOnce(anew: boolean): Promise<ErrorMessage | undefined> {
  try {
    const looked = await keeper.look({ signal: closing.signal, anew, index: 'words' });
    tell({ kind: 'agreed', ...looked });
    indexBeside(looked.state);
    return undefined;
  } catch (error) {
    const plain = messageOf(error);
    if (!closing.signal.aborted) tell({ kind: 'failed', error: plain });
    return plain;
  }
}

/** Indexing vectors takes minutes: what is published meanwhile is followed. */
function indexBeside(state: SharedState): void {
  const ended = indexing === undefined ? indexed.attempt(state) : undefined;
  if (ended === undefined) return;
  let isDone = true;
  const fail = (message: string): void => {
    isDone = false;
    if (!closing.signal.aborted) warn(message);
  };
  indexing = keeper
    .index({ signal: closing.signal, onWarning: ({ origin, message }) => fail(`${origin}: ${message}`) })
    .catch((error: unknown) => fail(messageOf(error).message))
    .finally(() => {
      if (isDone) told.clear();
      ended(isDone);
      indexing = undefined;
    });
}

/** What fails again and again is told once, until all was written. */
function warn(message: string): void {
  if (!told.has(message)) tell({ kind: 'warned', message });
  told.add(message);
}

async function answer(id: number, anew: boolean): Promise<void> {
  // One that is running may have looked before what the caller means.
  while (running !== undefined) await running;
  tell({ kind: 'looked', id, error: await look(anew) });
}

const timer = setInterval(() => void look(), interval);
port.on('message', (request: FollowRequest) => {
  if (request.kind === 'look') void answer(request.id, request.anew);
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
