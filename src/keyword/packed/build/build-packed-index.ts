import type { DocumentSource } from '../../keyword-index.js';
import { PackedIndex } from '../packed-index.js';
import { collectInTurns } from './collect-in-turns.js';

/**
 * Builds an index of all documents in memory. Gives way to the event loop in between.
 *
 * @throws the signal's reason when aborted
 */
export async function buildPackedIndex(documents: DocumentSource, signal?: AbortSignal): Promise<PackedIndex> {
  return new PackedIndex(await collectInTurns(documents, signal), documents);
}
