import { isDamage } from '../errors.js';
import type { CopyFollower } from '../snapshot/copy-follower.js';

/**
 * Opens a catalogue. A local copy that is damaged is made anew first: what it is a copy of has the truth.
 *
 * @param follower of the copy; undefined if the catalogue is none
 * @throws whatever opening throws, and what making it anew throws
 */
export async function openOrMend<T>(open: () => T | Promise<T>, follower: CopyFollower | undefined): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (follower === undefined || !isDamage(error)) throw error;
    await follower.mend();
    return open();
  }
}
