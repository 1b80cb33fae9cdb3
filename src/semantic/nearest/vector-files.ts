import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { startWorker } from '../../threads/start-worker.js';
import type { BuildThreadData, BuildThreadMessage } from './build-messages.js';
import { Graph, loadGraphLibrary } from './graph.js';
import type { VectorSet } from './vector-codes.js';
import { isWhole, readVectorFile, readVectorKeys, type VectorFile } from './vector-file.js';
import { vectorFileNames } from './vector-file-names.js';

/** Vectors from which on a graph is built: of fewer the scan takes two or three milliseconds, and is exact. */
const GRAPH_FROM = 10_000;

export interface VectorFilesOptions {
  /** The catalogue's file, beside which the files are written. */
  readonly catalogue: string;
  /** Its stamp, and the id of the model: the files are believed as long as both are the same. */
  readonly stamp: string;
  readonly model: string;
  /** @default GRAPH_FROM */
  readonly graphFrom?: number;
}

export interface BuildVectorFilesOptions extends VectorFilesOptions {
  /** `values` must lie in memory that threads can share. */
  readonly vectors: VectorSet;
  readonly signal?: AbortSignal | undefined;
  /** Called with the vectors put into the graph so far, and their number. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The file of codes; undefined where it is missing, damaged, or of another state of the catalogue. */
export async function readCodes({ catalogue, stamp, model }: VectorFilesOptions): Promise<VectorFile | undefined> {
  const file = await readVectorFile(vectorFileNames(catalogue).codes);
  return file?.header.stamp === stamp && file.header.model === model ? file : undefined;
}

/** What stands before the codes; undefined where the file is missing, damaged anywhere, or of another state. */
export async function readKeys({
  catalogue,
  stamp,
  model,
}: VectorFilesOptions): Promise<Omit<VectorFile, 'codes'> | undefined> {
  const file = await readVectorKeys(vectorFileNames(catalogue).codes);
  return file?.header.stamp === stamp && file.header.model === model ? file : undefined;
}

/** Whether all files are there that can be, whole, and of this state of the catalogue. */
export async function vectorFilesAreCurrent(options: VectorFilesOptions): Promise<boolean> {
  const { catalogue, graphFrom = GRAPH_FROM } = options;
  const file = await readKeys(options);
  if (file === undefined) return false;
  const { graph } = file.header;
  if (graph !== undefined) return isWhole(vectorFileNames(catalogue).graph, graph);
  const wanted = file.keys.length >= graphFrom && Graph.takes(file.keys);
  return !wanted || (await loadGraphLibrary()) === undefined;
}

/**
 * Writes the files that are derived from a catalogue's vectors: codes for scanning, and for a large catalogue a graph.
 * All of it happens in a thread. Each file is written aside, synced and renamed, the codes last; they name the graph
 * they belong to, so two that do not fit are noticed. A graph of an earlier state is brought up to date.
 *
 * @throws Error of the file system
 * @throws the signal's reason when aborted; nothing is left behind then
 */
export async function buildVectorFiles(options: BuildVectorFilesOptions): Promise<void> {
  const { catalogue, stamp, model, vectors, signal, onProgress, graphFrom = GRAPH_FROM } = options;
  signal?.throwIfAborted();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: BuildThreadData = { catalogue, stamp, model, vectors, graphFrom, stop };
  const thread = startWorker(import.meta.url, 'build-thread', { workerData });
  thread.ref();
  // Asked to stop, not ended: native code is running in it.
  const abort = (): void => {
    Atomics.store(stop, 0, 1);
  };
  signal?.addEventListener('abort', abort, { once: true });
  let failure: unknown;
  thread.on('message', (message: BuildThreadMessage) => {
    if (message.kind === 'failed') failure = new Error(message.message);
    else if (failure === undefined) {
      try {
        onProgress?.(message.done, message.total);
      } catch (error) {
        failure = error;
        abort();
      }
    }
  });
  await once(thread, 'exit').catch((error: unknown) => {
    failure = error;
  });
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure;
}

/** Removes the files that are derived from a catalogue's vectors. */
export function removeVectorFiles(catalogue: string): void {
  for (const path of Object.values(vectorFileNames(catalogue))) rmSync(path, { force: true });
}
