import { indexKeywords } from './index-keywords.js';
import { type IndexingOptions, indexVectors } from './index-vectors.js';

/** A derived file that was not written, and why. */
export interface IndexingWarning {
  readonly origin: 'words' | 'vectors';
  readonly message: string;
}

/** How indexing is followed and stopped. */
export interface IndexOrWarnOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
  readonly onWarning: (warning: IndexingWarning) => void;
}

/**
 * Writes the files that are derived from a catalogue. If one cannot be written this only warns: the catalogue is
 * complete without it.
 *
 * @throws the signal's reason when aborted
 */
export async function indexOrWarn(
  catalogue: string,
  { signal, onProgress, onWarning }: IndexOrWarnOptions,
): Promise<void> {
  const write = async (
    origin: IndexingWarning['origin'],
    index: (catalogue: string, options: IndexingOptions) => Promise<void>,
  ): Promise<void> => {
    try {
      await index(catalogue, { signal, onProgress });
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof Error)) throw error;
      onWarning({ origin, message: `their index was not written: ${error.message}` });
    }
  };
  await write('words', indexKeywords);
  await write('vectors', indexVectors);
}
