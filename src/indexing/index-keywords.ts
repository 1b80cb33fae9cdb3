import { runJob } from '../core/index.js';
import { collectKeywords, type PackedKeywords } from '../keyword/index.js';
import { CatalogueReader, readStamp } from '../store/index.js';
import type { KeywordsJob } from './index-keywords-thread.js';
import { documentsOf, isCurrentKeywordFile, writeKeywordFile } from './keyword-file.js';

/** Number of skills from which words are collected in a thread. For fewer, starting a thread takes longer. */
const IN_THREAD_FROM = 2_000;

export interface BuildKeywordsOptions {
  /** The catalogue's file. */
  readonly catalogue: string;
  /** Stamp of the state to read. */
  readonly stamp: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of documents done, and the number of documents to do. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Updates the keyword file of a catalogue. Writes nothing if the file already fits the catalogue and is whole.
 *
 * @throws Error of the file system; a file that was there before is left as it was
 * @throws the signal's reason when aborted
 */
export async function indexKeywords(
  catalogue: string,
  options: Pick<BuildKeywordsOptions, 'signal' | 'onProgress'>,
): Promise<void> {
  const stamp = readStamp(catalogue);
  if (await isCurrentKeywordFile(catalogue, stamp)) return;
  const reader = CatalogueReader.open(catalogue);
  try {
    if (!isWorthAThread(reader)) {
      const keywords = collectKeywords(documentsOf(reader));
      writeKeywordFile(catalogue, stamp, { keywords, columns: reader.packedColumns });
      return;
    }
  } finally {
    reader.close();
  }
  await buildKeywords({ ...options, catalogue, stamp }, true);
}

/** Whether the words of a catalogue should be collected in a thread. */
export function isWorthAThread(reader: CatalogueReader): boolean {
  return reader.countSkills() >= IN_THREAD_FROM;
}

/**
 * Collects the words of a state of a catalogue in a thread.
 *
 * @param write whether the thread writes the file; otherwise the words are returned
 * @returns undefined if the file was written, or the catalogue is in another state by now
 * @throws the signal's reason when aborted
 */
export function buildKeywords(
  { catalogue, stamp, signal, onProgress }: BuildKeywordsOptions,
  write = false,
): Promise<PackedKeywords | undefined> {
  const data: KeywordsJob = { catalogue, stamp, write };
  return runJob(import.meta.url, 'index-keywords-thread', { data, signal, onProgress });
}
