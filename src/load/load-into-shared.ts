import { join } from 'node:path';
import type { SharedState } from '../share/index.js';
import { connectShared } from '../share/index.js';
import { differenceOf } from '../store/index.js';
import { FILE_SYSTEM_ROOT } from './catalogue-place.js';
import { loadAgain } from './load-again.js';
import type { SharedOptions } from './load-options.js';
import type { LoadTarget } from './run-load.js';
import { ScratchCatalogue } from './scratch-catalogue.js';
import { SharedLoad } from './shared-load.js';
import { SmallTarget } from './small-target.js';

/** What is done to a shared catalogue. */
export interface SharedWork {
  /** Names the load, so that the next one of the same key resumes it; undefined for a small change. */
  readonly key: string | undefined;
  /** Whether it cannot be done twice, because it reads what can be read only once. */
  readonly isOnce: boolean;
  /** Keys of the sources that it prunes. */
  readonly pruned?: readonly string[];
  /** Whether there must be a catalogue already. */
  readonly needsCatalogue?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The ways to do it. Each may be gone several times. */
export interface SharedWays<T> {
  /** Tries it on the local copy. Undefined if it has to be done as a whole; nothing has happened then. */
  readonly small?: (target: SmallTarget) => Promise<T | undefined>;
  /** Does it in a file of its own. */
  readonly whole: (target: LoadTarget) => Promise<T>;
}

/**
 * Does what a load does in a file, and publishes what it changes. A small change is tried on the local copy, which
 * stays as it is until it follows what was published. A load of whole sources works in a scratch that begins as the
 * local copy. Where another load has changed the same skills meanwhile it is done again, from the new state: nearly all
 * is known then.
 *
 * @throws {SkillSearchError} those of connecting; `SERVICE_UNAVAILABLE` if the database stops answering: what was done
 *   is kept for the next load of the same key; `LOAD_IN_PROGRESS` if others change the same skills again and again
 */
export async function loadIntoShared<T>(
  options: SharedOptions & { readonly database: string },
  { key, isOnce, pruned, needsCatalogue = false, signal }: SharedWork,
  { small, whole }: SharedWays<T>,
): Promise<T> {
  const { store, copy } = await connectShared(options);
  const shared = new SharedLoad(store, copy, pruned, signal);
  let scratch: ScratchCatalogue | undefined;
  const takeScratch = (): ScratchCatalogue => ScratchCatalogue.take(join(copy.folder, 'loads'), key, store.shown);
  try {
    await copy.claim(signal);
    // Another load of the same sources is told of at once.
    if (key !== undefined) scratch = takeScratch();
    const begin = async (anew: boolean): Promise<SharedState> => {
      signal?.throwIfAborted();
      if (anew) scratch?.discard();
      return shared.present(needsCatalogue, anew);
    };
    const run = async (present: SharedState): Promise<T> => {
      const done = present.version === 0 ? undefined : await small?.(new SmallTarget(shared));
      if (done !== undefined) return done;
      scratch ??= takeScratch();
      return whole(targetOf(shared, scratch, await scratch.prepare(copy, present, signal)));
    };
    const result = await loadAgain({ shown: store.shown, isOnce, begin, run });
    scratch?.remove();
    scratch = undefined;
    return result;
  } finally {
    scratch?.release();
    await store.close();
  }
}

/** @param state that the scratch began with */
function targetOf(shared: SharedLoad, scratch: ScratchCatalogue, state: SharedState): LoadTarget {
  const { database } = scratch;
  return {
    database,
    shown: shared.shown,
    home: FILE_SYSTEM_ROOT,
    vectors: shared.vectors(),
    handOn: async () => {
      const difference = differenceOf(scratch.base, database);
      try {
        const outcome = await shared.publish(difference, state);
        if (outcome?.isNext === true) await shared.adopt(database, outcome.state);
      } finally {
        difference.close();
      }
    },
    index: (progress) => shared.index(progress, true),
    indexWhenDue: (progress) => shared.index(progress, false),
  };
}
