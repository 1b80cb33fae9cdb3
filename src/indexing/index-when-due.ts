import { headOfVectorFile } from '../semantic/index.js';
import { filesBeside, openStoredVectors } from '../store/index.js';
import { changedTooMuch } from './changed-too-much.js';
import { type IndexOrWarnOptions, indexOrWarn } from './index-or-warn.js';
import { wordsAreDue } from './words-are-due.js';

/**
 * Writes the derived files of a catalogue anew if too much has changed in place since they were written, or they are of
 * no use. Else searches put what changed beside them.
 *
 * @throws the signal's reason when aborted
 */
export async function indexWhenDue(catalogue: string, options: IndexOrWarnOptions): Promise<void> {
  const words = wordsAreDue(catalogue);
  const codes = headOfVectorFile(filesBeside(catalogue).vectors)?.stamp;
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
