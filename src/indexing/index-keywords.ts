import { once } from 'node:events';
import { imageIsCurrent } from '../arrays/paged-image.js';
import { collectKeywords } from '../keyword/packed/build/collect-keywords.js';
import type { PackedKeywords } from '../keyword/packed/packed-keywords.js';
import { filesBeside } from '../store/file-names.js';
import { CatalogueReader, readStamp } from '../store/read/catalogue-reader.js';
import { startWorker } from '../threads/start-worker.js';
import { writeCatalogueImage } from './catalogue-image.js';
import type { KeywordThreadData, KeywordThreadMessage } from './index-keywords-messages.js';
import { documentsOf } from './keyword-documents.js';

/** Skills up to which the words are collected here: starting a thread takes longer. */
const IN_THREAD_FROM = 2_000;

export interface BuildKeywordsOptions {
  /** The catalogue's file. */
  readonly catalogue: string;
  /** The state that is meant. */
  readonly stamp: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Brings the file that is derived from a catalogue's words up to date. Where it fits the catalogue already, and is whole,
 * nothing is written.
 *
 * @throws Error of the file system; what stood there before is left then
 * @throws the signal's reason when aborted
 */
export async function indexKeywords(
  catalogue: string,
  options: Omit<BuildKeywordsOptions, 'catalogue' | 'stamp'>,
): Promise<void> {
  const stamp = readStamp(catalogue);
  if (await imageIsCurrent(filesBeside(catalogue).keyword, stamp)) return;
  const reader = CatalogueReader.open(catalogue);
  try {
    if (!isWorthAThread(reader)) {
      const keywords = collectKeywords(documentsOf(reader));
      writeCatalogueImage(catalogue, stamp, { keywords, columns: reader.packedColumns });
      return;
    }
  } finally {
    reader.close();
  }
  await inThread({ ...options, catalogue, stamp }, true);
}

/** Whether the words of a catalogue are better collected in a thread. */
export function isWorthAThread(reader: CatalogueReader): boolean {
  return reader.countSkills() >= IN_THREAD_FROM;
}

/**
 * The words of a catalogue's state, collected in a thread.
 *
 * @returns undefined where the file is of another state by now
 * @throws the signal's reason when aborted
 */
export function buildKeywords(options: BuildKeywordsOptions): Promise<PackedKeywords | undefined> {
  return inThread(options, false);
}

/** @param write whether the file is written; else what would be in it is returned */
async function inThread(
  { catalogue, stamp, signal, onProgress }: BuildKeywordsOptions,
  write: boolean,
): Promise<PackedKeywords | undefined> {
  signal?.throwIfAborted();
  const workerData: KeywordThreadData = { catalogue, stamp, write };
  const thread = startWorker(import.meta.url, 'index-keywords-thread', { workerData });
  thread.ref();
  const abort = (): void => void thread.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  let failure: unknown;
  let built: PackedKeywords | undefined;
  thread.on('message', (message: KeywordThreadMessage) => {
    if (message.kind === 'failed') failure = new Error(message.message);
    else if (message.kind === 'built') built = message.keywords;
    else {
      try {
        onProgress?.(message.done, message.total);
      } catch (error) {
        failure ??= error;
        abort();
      }
    }
  });
  await once(thread, 'exit').catch((error: unknown) => {
    failure ??= error;
  });
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure;
  return built;
}
