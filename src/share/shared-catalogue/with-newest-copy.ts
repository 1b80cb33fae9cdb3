import { type ConnectOptions, connectShared } from './connect-shared.js';
import { holdNewestCopy } from './hold-newest-copy.js';
import type { SharedState } from './shared-state.js';

/** A local copy that nobody changes. */
export interface HeldCopy {
  /** Path of the catalogue. */
  readonly database: string;
  /** Which published version it is. */
  readonly state: SharedState;
}

/**
 * Connects to a shared catalogue, brings its local copy up to date, and calls work while nobody changes that.
 *
 * @throws {SkillSearchError} those of connecting; `DATABASE_NOT_FOUND` if nothing was ever published;
 *   `LOAD_IN_PROGRESS` if others change the copy again and again; `SERVICE_UNAVAILABLE`; whatever the work throws
 * @throws the signal's reason when aborted
 */
export async function withNewestCopy<T>(
  options: ConnectOptions,
  signal: AbortSignal | undefined,
  work: (copy: HeldCopy) => Promise<T>,
): Promise<T> {
  const { store, copy } = await connectShared({ ...options, isReader: true });
  try {
    const { database } = copy;
    return await holdNewestCopy({ copy }, { signal }, (state) => work({ database, state }));
  } finally {
    await store.close();
  }
}
