import type { CopyStats } from '../../result.js';
import type { LocalCopy } from '../snapshot/local-copy.js';
import { copyState } from './copy-state.js';
import type { SharedState } from './shared-state.js';

/** States whose versions are known. A search may answer from the one before the newest. */
const KNOWN_STATES = 4;

/** What a look at a copy has found. */
export interface LookedCopy {
  /** That the copy is. */
  readonly state: SharedState;
  /** Whether the database has nothing newer; a standby that is behind does not know that. */
  readonly isNewest: boolean;
}

/** What this process knows of a copy. */
export class KnownCopy {
  readonly #files: LocalCopy;
  #states: readonly SharedState[];

  /** @param here the state that was found, if any was */
  constructor(files: LocalCopy, here: SharedState | undefined) {
    this.#files = files;
    this.#states = here === undefined ? [] : [here];
  }

  get database(): string {
    return this.#files.database;
  }

  get exists(): boolean {
    return this.#states.length > 0;
  }

  /** Notes what the copy is. */
  agreed({ state, isNewest }: LookedCopy): void {
    this.#note(state);
    if (isNewest) this.#files.confirm();
  }

  statsOf(stamp: string): CopyStats {
    const { version, publishedAt } = this.#stateOf(stamp) ?? {};
    const { confirmedAt } = this.#files;
    return {
      ...(version === undefined ? {} : { version }),
      ...(publishedAt === undefined ? {} : { publishedAt: Math.floor(publishedAt / 1000) }),
      ...(confirmedAt === undefined ? {} : { confirmedAt }),
    };
  }

  #note(state: SharedState): void {
    const others = this.#states.filter(({ stamp }) => stamp !== state.stamp);
    this.#states = [state, ...others].slice(0, KNOWN_STATES);
  }

  #stateOf(stamp: string): SharedState | undefined {
    const known = this.#states.find((state) => state.stamp === stamp);
    if (known !== undefined) return known;
    // The file may be opened before anybody has told what it is.
    const here = copyState(this.database);
    if (here?.stamp !== stamp) return undefined;
    this.#note(here);
    return here;
  }
}
