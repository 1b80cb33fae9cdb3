import { SkillSearchError } from '../../core/index.js';
import type { ConnectedCatalogue } from './connect-shared.js';
import { isSameState } from './copy-state.js';
import type { BringUpOptions } from './shared-copy.js';
import type { SharedState } from './shared-state.js';

/** How often a copy is brought up to date at most, if other processes change it before it is held. */
const MOST_ATTEMPTS = 10;

/**
 * Brings a local copy and its derived files to the newest state, and calls work while nobody changes it: other
 * processes go on reading it, and wait before they write.
 *
 * @param work is given the published state that the copy is
 * @throws {SkillSearchError} those of `SharedCopy.bringUp`; `LOAD_IN_PROGRESS` if others change the copy again and
 *   again; whatever the work throws
 * @throws the signal's reason when aborted
 */
export async function holdNewestCopy<T>(
  { copy }: Pick<ConnectedCatalogue, 'copy'>,
  options: Pick<BringUpOptions, 'signal' | 'anew'>,
  work: (state: SharedState) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const state = await copy.bringUp(attempt === 1 ? options : { signal: options.signal });
    // Whoever had it in between may have left out the derived files.
    const held = await copy.hold(
      async (here) => (isSameState(here, state) ? { result: await work(state) } : undefined),
      options.signal,
    );
    if (held !== undefined) return held.result;
  }
  const message = `${copy.database} was changed again and again by other processes: try again`;
  throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: copy.database });
}
