import type { DocumentSource } from '../../keyword-index.js';
import { PackedIndex } from '../packed-index.js';
import { DocumentCollector } from './collect-keywords.js';

/** Documents added between two turns of the event loop. */
const DOCUMENTS_PER_TURN = 500;

/**
 * Builds an index of all documents in memory. Gives way to the event loop in between.
 *
 * @throws the signal's reason when aborted
 */
export async function buildPackedIndex(documents: DocumentSource, signal?: AbortSignal): Promise<PackedIndex> {
  const collector = new DocumentCollector();
  let count = 0;
  for (const document of documents.all()) {
    collector.add(document);
    count += 1;
    if (count % DOCUMENTS_PER_TURN !== 0) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return new PackedIndex(collector.pack(), documents);
}
