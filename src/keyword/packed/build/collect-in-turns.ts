import type { DocumentSource } from '../../keyword-index.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { DocumentCollector } from './collect-keywords.js';

/** Documents added between two turns of the event loop: some twenty milliseconds. */
const DOCUMENTS_PER_TURN = 50;

/**
 * Collects the arrays of an index of documents. Gives way to the event loop in between.
 *
 * @throws the signal's reason when aborted
 */
export async function collectInTurns(
  documents: Pick<DocumentSource, 'all'>,
  signal?: AbortSignal,
): Promise<PackedKeywords> {
  const collector = new DocumentCollector();
  let count = 0;
  for (const document of documents.all()) {
    collector.add(document);
    count += 1;
    if (count % DOCUMENTS_PER_TURN !== 0) continue;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return collector.pack();
}
