import { changedTooMuch } from './changed-too-much.js';
import { stampOfKeywordFile } from './keyword-file.js';

/** Whether a search by words would have to collect them first: their file is missing, or too much has changed since. */
export function wordsAreDue(catalogue: string): boolean {
  return changedTooMuch(catalogue, stampOfKeywordFile(catalogue), 'skills');
}
