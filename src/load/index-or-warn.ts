import { indexKeywords } from '../indexing/index-keywords.js';
import { type IndexingOptions, indexVectors } from '../indexing/index-vectors.js';
import type { LoadWarning } from './load-report.js';
import type { Progress } from './progress.js';

/**
 * Writes the files that are derived from a catalogue. If one cannot be written this only warns: the catalogue is
 * complete without it.
 *
 * @throws the signal's reason when aborted
 */
export async function indexOrWarn(
  catalogue: string,
  warnings: LoadWarning[],
  signal: AbortSignal | undefined,
  progress: Progress,
): Promise<void> {
  const onProgress = (done: number, total: number): void => progress.report('indexing', { done, total });
  const write = async (
    origin: 'words' | 'vectors',
    index: (catalogue: string, options: IndexingOptions) => Promise<void>,
  ): Promise<void> => {
    try {
      await index(catalogue, { signal, onProgress });
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof Error)) throw error;
      warnings.push({ origin, message: `their index was not written: ${error.message}` });
    }
  };
  await write('words', indexKeywords);
  await write('vectors', indexVectors);
}
