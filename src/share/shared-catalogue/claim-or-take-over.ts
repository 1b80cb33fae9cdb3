import { isPostgresAddress, SkillSearchError } from '../../core/index.js';
import type { LocalCopy } from '../snapshot/local-copy.js';
import { copyState } from './copy-state.js';
import type { SharedStore } from './shared-store.js';

/**
 * Makes the folder of a copy if there is none. One that holds the copy of another address becomes that of this one if
 * the database knows its state: a server that moves between a primary and its standbys goes on with what it has.
 *
 * @throws {SkillSearchError} `CATALOGUE_EXISTS` if the folder holds another catalogue; `DATABASE_NOT_WRITABLE`
 */
export async function claimOrTakeOver(
  files: LocalCopy,
  store: SharedStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    files.claim();
  } catch (error) {
    if (!(error instanceof SkillSearchError) || error.code !== 'CATALOGUE_EXISTS') throw error;
    const here = isPostgresAddress(files.otherOrigin) ? copyState(files.database) : undefined;
    if (here === undefined || !(await store.knows(here, signal))) throw error;
    files.takeOver();
  }
}
