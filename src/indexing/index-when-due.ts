import { MAX_UNINDEXED } from '../limits.js';
import { headOfVectorFile } from '../semantic/nearest/vector-file.js';
import { filesBeside } from '../store/file-names.js';
import { readStamp } from '../store/read/catalogue-reader.js';
import { changesSince } from '../store/read/changes-since.js';
import { openStoredVectors } from '../store/read/vector-reader.js';
import { type IndexOrWarnOptions, indexOrWarn } from './index-or-warn.js';
import { stampOfKeywordFile } from './keyword-file.js';

/**
 * Writes the derived files of a catalogue anew if too much has changed in place since they were written, or they are of
 * no use. Else searches put what changed beside them.
 *
 * @throws the signal's reason when aborted
 */
export async function indexWhenDue(catalogue: string, options: IndexOrWarnOptions): Promise<void> {
  const words = isDue(catalogue, stampOfKeywordFile(catalogue), 'skills');
  const codes = headOfVectorFile(filesBeside(catalogue).vectors)?.stamp;
  const vectors = (codes !== undefined || hasVectors(catalogue)) && isDue(catalogue, codes, 'vectors');
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

function isDue(catalogue: string, stamp: string | undefined, what: 'skills' | 'vectors'): boolean {
  if (stamp === undefined) return true;
  if (stamp === readStamp(catalogue)) return false;
  const changes = changesSince(catalogue, stamp);
  return changes === undefined || changes[what] > MAX_UNINDEXED;
}
