import { lowerBound } from '../core/index.js';
import type { LoadWarning } from '../result.js';
import {
  buildVectorFiles,
  removeVectorFiles,
  stampOfVectorFile,
  type VectorLinks,
  vectorFilesAreCurrent,
} from '../semantic/index.js';
import { changesSince, filesBeside, openStoredVectors, readStamp, type VectorReader } from '../store/index.js';
import { indexKeywords } from './index-keywords.js';
import { stampOfKeywordFile } from './keyword-file.js';

/**
 * Skills, or vectors, that small changes may bring or take before the derived files are written anew. Each of them
 * makes opening a catalogue longer, by some tenths of a millisecond.
 */
const MAX_UNINDEXED = 1000;

/** How indexing is followed and stopped. */
export interface IndexOrWarnOptions extends IndexingOptions {
  /** Called with a derived file that was not written, `words` or `vectors`, and why. */
  readonly onWarning: (warning: LoadWarning) => void;
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
    origin: 'words' | 'vectors',
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

/**
 * Writes the derived files of a catalogue anew if too much has changed in place since they were written, or they are of
 * no use. Else searches put what changed beside them.
 *
 * @throws the signal's reason when aborted
 */
export async function indexWhenDue(catalogue: string, options: IndexOrWarnOptions): Promise<void> {
  const words = wordsAreDue(catalogue);
  const codes = stampOfVectorFile(filesBeside(catalogue).vectors);
  const vectors = (codes !== undefined || hasVectors(catalogue)) && changedTooMuch(catalogue, codes, 'vectors');
  if (words || vectors) await indexOrWarn(catalogue, options);
}

function hasVectors(catalogue: string): boolean {
  const { vectors, close } = openStoredVectors(catalogue);
  try {
    return vectors.model !== undefined;
  } finally {
    close();
  }
}

/** Whether a search by words would have to collect them first: their file is missing, or too much has changed since. */
export function wordsAreDue(catalogue: string): boolean {
  return changedTooMuch(catalogue, stampOfKeywordFile(catalogue), 'skills');
}

/**
 * Whether more has changed since a derived file was written than searches put beside it.
 *
 * @param stamp of the state that the file was written of; undefined if there is no file that can be read
 */
function changedTooMuch(catalogue: string, stamp: string | undefined, what: 'skills' | 'vectors'): boolean {
  if (stamp === undefined) return true;
  if (stamp === readStamp(catalogue)) return false;
  const changes = changesSince(catalogue, stamp);
  return changes === undefined || changes[what] > MAX_UNINDEXED;
}

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
