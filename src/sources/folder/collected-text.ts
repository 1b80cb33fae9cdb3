import { MAX_FILE_BYTES } from '../../core/index.js';
import type { Admit } from './ahead-allowance.js';
import type { ReadOutcome } from './skill-contents.js';
import { type FileText, readTextFile, textOfFile } from './text-file.js';

/** Reads the text of a file by its real path; with `force` even if it looks binary. */
export type ReadText = (realPath: string, force?: boolean) => Promise<FileText>;

/**
 * Reads texts of files, without a second look at those that were read already.
 *
 * @param read what came of them
 * @param admit asked before a text takes memory
 */
export function collectedText(read: ReadonlyMap<string, ReadOutcome>, admit?: Admit): ReadText {
  return async (realPath, force = false) => {
    const outcome = read.get(realPath);
    // Of one that is too large to be kept, the beginning is searched.
    if (outcome === undefined || outcome === 'large') return readTextFile(realPath, { force, admit });
    if (outcome === 'special') return { kind: 'special' };
    // Refused once, it stays so: another look might find what somebody has put there meanwhile.
    if (outcome instanceof Error) throw outcome;
    await admit?.(Math.min(outcome.bytes.length, MAX_FILE_BYTES));
    return textOfFile(outcome, { force });
  };
}
