import { buildVectorFiles, removeVectorFiles, vectorFilesAreCurrent } from '../semantic/nearest/vector-files.js';
import { filesBeside } from '../store/file-names.js';
import { openStoredVectors } from '../store/read/vector-reader.js';

export interface IndexingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Updates the files that are derived from a catalogue's vectors. Writes nothing if they already fit the catalogue and
 * are whole. Removes them if the catalogue has no vectors.
 *
 * @throws the signal's reason when aborted; the files are left as they were
 */
export async function indexVectors(catalogue: string, { signal, onProgress }: IndexingOptions): Promise<void> {
  const files = filesBeside(catalogue);
  const { stamp, vectors, close } = openStoredVectors(catalogue);
  try {
    const { model } = vectors;
    if (model === undefined) {
      removeVectorFiles(files);
      return;
    }
    if (await vectorFilesAreCurrent({ files, stamp, model })) return;
    await buildVectorFiles({ files, stamp, model, vectors: await vectors.all(signal), signal, onProgress });
  } finally {
    close();
  }
}
