import { SkillSearchError } from '../core/index.js';
import type { CopyFollower } from '../share/index.js';

/** Codes of a file that is of no use. */
const OF_NO_USE: readonly string[] = ['DATABASE_DAMAGED', 'NOT_A_CATALOGUE', 'UNSUPPORTED_FORMAT'];

/**
 * Opens a catalogue. A local copy that is of no use is made anew first: what it is a copy of has the truth.
 *
 * @param follower of the copy; undefined if the catalogue is none
 * @throws whatever opening throws, and what making it anew throws
 */
export async function openOrMend<T>(open: () => T | Promise<T>, follower: CopyFollower | undefined): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const isOfNoUse = error instanceof SkillSearchError && OF_NO_USE.includes(error.code);
    if (follower === undefined || !isOfNoUse) throw error;
    await follower.mend();
    return open();
  }
}
