import { join } from 'node:path';
import { isDamage, SkillSearchError } from '../errors.js';
import { MAX_LOADS_AGAIN } from '../limits.js';
import { connectShared } from '../shared-catalogue/connect-shared.js';
import type { PublishOutcome } from '../shared-catalogue/publish-changes.js';
import type { SharedCopy } from '../shared-catalogue/shared-copy.js';
import type { SharedState } from '../shared-catalogue/shared-state.js';
import type { SharedStore } from '../shared-catalogue/shared-store.js';
import { openForReading } from '../store/database.js';
import { differenceOf } from '../store/transfer/difference.js';
import type { SharedOptions } from './load-options.js';
import type { IndexingProgress, LoadTarget } from './load-target.js';
import { ScratchCatalogue } from './scratch-catalogue.js';
import { FILE_SYSTEM_ROOT } from './shared-home.js';
import { SharedVectors } from './shared-vectors.js';

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

/**
 * Does what a load does in a file, in a scratch that begins as the local copy, and publishes the difference. Where
 * another load has changed the same skills meanwhile it does it again, from the new state: nearly all is known then.
 *
 * @param run the load; called with the target to write to, once or several times
 * @throws {SkillSearchError} those of connecting; `SERVICE_UNAVAILABLE` if the database stops answering: what was done
 *   is kept for the next load of the same key; `LOAD_IN_PROGRESS` if others change the same skills again and again
 */
export async function loadThroughScratch<T>(
  options: SharedOptions & { readonly database: string },
  { key, isOnce, pruned, needsCatalogue, signal }: SharedWork,
  run: (target: LoadTarget) => Promise<T>,
): Promise<T> {
  const { store, copy } = await connectShared(options);
  try {
    await copy.claim(signal);
    const scratch = ScratchCatalogue.take(join(copy.folder, 'loads'), key, store.shown);
    let isDone = false;
    try {
      let isDamaged = false;
      for (let attempt = 1; ; attempt++) {
        signal?.throwIfAborted();
        const { identity, version, stamp } = await store.head();
        const isNothing = version === 0 && needsCatalogue !== true;
        const bringingUp = { signal, index: false, anew: isDamaged };
        const present = isNothing ? { identity, version, stamp } : await copy.bringUp(bringingUp);
        const state = await scratch.prepare(copy, present, signal);
        try {
          const result = await run(targetOf({ store, copy, scratch, state, pruned, signal }));
          isDone = true;
          return result;
        } catch (error) {
          // The database has the truth: a copy that is damaged is made anew.
          const isNewlyDamaged: boolean = isDamage(error) && !isDamaged;
          isDamaged = isNewlyDamaged;
          if (isNewlyDamaged) {
            scratch.discard();
            if (!isOnce) continue;
            await copy.bringUp({ signal, index: false, anew: true });
          }
          if (!(error instanceof Overtaken)) throw error;
          if (isOnce || attempt >= MAX_LOADS_AGAIN) throw overtakenError(store.shown);
        }
      }
    } finally {
      if (isDone) scratch.remove();
      else scratch.release();
    }
  } finally {
    await store.close();
  }
}

/** Another load has published changes of the same skills. */
class Overtaken extends Error {
  override readonly name = 'Overtaken' as const;
}

interface Scratching {
  readonly store: SharedStore;
  readonly copy: SharedCopy;
  readonly scratch: ScratchCatalogue;
  /** That the scratch began with. */
  readonly state: SharedState;
  readonly pruned: readonly string[] | undefined;
  readonly signal: AbortSignal | undefined;
}

function targetOf(scratching: Scratching): LoadTarget {
  const { store, scratch, signal } = scratching;
  return {
    database: scratch.database,
    shown: store.shown,
    home: FILE_SYSTEM_ROOT,
    vectors: new SharedVectors(store, signal),
    handOn: () => publish(scratching),
    index: (progress) => indexCopy(scratching, progress),
    indexWhenDue: (progress) => indexCopy(scratching, progress),
  };
}

/** Publishes what differs from the state that the scratch began with, if anything does. */
async function publish({ store, copy, scratch, state, pruned, signal }: Scratching): Promise<void> {
  const difference = differenceOf(scratch.base, scratch.database);
  let outcome: PublishOutcome;
  try {
    if (state.version > 0 && difference.changed.length + difference.removed.length === 0) return;
    outcome = await store.publish(difference, state, { signal, pruned });
  } finally {
    difference.close();
  }
  if (outcome.kind !== 'published') throw new Overtaken();
  if (!outcome.isNext) return;
  try {
    await copy.adopt(scratch.database, outcome.state, signal);
  } catch (error) {
    // It is published. What stands in the way is told when the copy is brought up to date instead.
    if (!(error instanceof SkillSearchError)) throw error;
  }
}

/**
 * Brings the local copy and its derived files up to date, and stores them for new servers if that is due. The load has
 * succeeded: whatever fails here is only told.
 */
async function indexCopy(
  { store, copy }: Scratching,
  { signal, onProgress, onWarning }: IndexingProgress,
): Promise<void> {
  const orWarn = async (origin: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof SkillSearchError)) throw error;
      onWarning({ origin, message: error.message });
    }
  };
  await orWarn('local copy', () => copy.bringUp({ signal, index: true, onProgress, onWarning }));
  await orWarn('checkpoint', async () => {
    if (await isCheckpointDue(store, copy, signal)) await copy.writeCheckpoint(signal);
  });
}

/** Share of the skills after whose change a new server has a checkpoint to fetch that is worth it, and the least. */
const CHECKPOINT_SHARE = 0.05;
const CHECKPOINT_LEAST = 1000;

async function isCheckpointDue(
  store: SharedStore,
  { database }: SharedCopy,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const changed = await store.changedSinceCheckpoint(signal);
  return changed === undefined || changed > Math.max(CHECKPOINT_LEAST, CHECKPOINT_SHARE * countSkills(database));
}

function countSkills(database: string): number {
  const catalogue = openForReading(database);
  try {
    return catalogue.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!;
  } finally {
    catalogue.close();
  }
}

function overtakenError(shown: string): SkillSearchError {
  const message = `another load into ${shown} changed the same skills meanwhile: load again`;
  return new SkillSearchError('LOAD_IN_PROGRESS', message, { path: shown });
}
