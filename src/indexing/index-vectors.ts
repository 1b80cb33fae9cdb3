import { buildVectorFiles, removeVectorFiles, vectorFilesAreCurrent } from '../semantic/nearest/vector-files.js';
import { openStoredVectors } from '../store/read/vector-reader.js';

export interface IndexingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Brings the files that are derived from a catalogue's vectors up to date: the index of nearest neighbours. Where they
 * fit the catalogue already nothing is written; where it has no vectors they are removed.
 *
 * @throws the signal's reason when aborted; what stood there before is left then
 */
export async function indexVectors(catalogue: string, { signal, onProgress }: IndexingOptions): Promise<void> {
  const { stamp, vectors, close } = openStoredVectors(catalogue);
  try {
    const { model } = vectors;
    if (model === undefined) {
      removeVectorFiles(catalogue);
      return;
    }
    if (await vectorFilesAreCurrent({ catalogue, stamp, model })) return;
    await buildVectorFiles({ catalogue, stamp, model, vectors: await vectors.all(signal), signal, onProgress });
  } finally {
    close();
  }
}
