import { lowerBound } from '../core/index.js';
import type { VectorLinks } from '../semantic/index.js';
import { buildVectorFiles, removeVectorFiles, vectorFilesAreCurrent } from '../semantic/index.js';
import { filesBeside, openStoredVectors, type VectorReader } from '../store/index.js';

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
    const all = await vectors.all(signal);
    const links = await linksOf(vectors, all.keys, signal);
    await buildVectorFiles({ files, stamp, model, vectors: all, links, signal, onProgress });
  } finally {
    close();
  }
}

/** @param keys of the vectors, ascending */
async function linksOf(vectors: VectorReader, keys: Float64Array, signal?: AbortSignal): Promise<VectorLinks> {
  const skills: number[] = [];
  const places: number[] = [];
  for await (const some of vectors.ofSkills(signal)) {
    for (const [skill, vector] of some) {
      if (vector === null) continue;
      skills.push(skill);
      places.push(lowerBound(keys, vector));
    }
  }
  return { skills: Float64Array.from(skills), places: Uint32Array.from(places) };
}
