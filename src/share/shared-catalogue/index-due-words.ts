import { indexKeywords, wordsAreDue } from '../../indexing/index.js';
import { FileLock, filesBeside } from '../../store/index.js';

/**
 * Writes the index of words of a copy where it is due, and needs no database for that. It takes as long as the next
 * search would take without it, and spares that to all later ones. Where it cannot be written, or another process is
 * indexing, that search collects the words in memory.
 *
 * @throws the signal's reason when aborted
 */
export async function indexDueWords(database: string, signal: AbortSignal | undefined): Promise<void> {
  let lock: FileLock | undefined;
  try {
    if (!wordsAreDue(database)) return;
    // That process may be indexing vectors, which takes minutes.
    lock = FileLock.take(filesBeside(database).indexingLock);
    if (lock !== undefined) await indexKeywords(database, { signal });
  } catch {
    signal?.throwIfAborted();
  } finally {
    lock?.release();
  }
}
