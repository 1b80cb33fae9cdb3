import type { VectorExchange } from '../indexing/index.js';
import type { SharedCopy } from '../share/index.js';
import { OpenChange, TriedChange } from '../store/index.js';
import { FILE_SYSTEM_ROOT } from './catalogue-place.js';
import type { IndexingProgress } from './reports.js';
import type { SharedLoad } from './shared-load.js';

/** A small change as it was tried. */
export interface Tried<T> {
  /** What the work returned. */
  readonly result: T;
  /** Publishes it. */
  readonly publish: () => Promise<void>;
}

/** What a small change needs of the load that it is. */
type OfSharedLoad = Pick<SharedLoad, 'signal' | 'vectors' | 'publish' | 'index'> & {
  readonly copy: Pick<SharedCopy, 'database' | 'hold'>;
};

/** Where a small change of a shared catalogue goes: what it would change in the local copy is published. */
export class SmallTarget {
  /** The folder that paths of skills are stored relative to. */
  readonly home: string = FILE_SYSTEM_ROOT;
  readonly #shared: OfSharedLoad;

  constructor(shared: OfSharedLoad) {
    this.#shared = shared;
  }

  /** Where vectors are that other loads have made. */
  readonly vectors = (): VectorExchange => this.#shared.vectors();

  /**
   * Calls work with a change of the copy, of which nothing is kept. Others wait meanwhile who want to bring the copy
   * further.
   *
   * @param work closes the change, or leaves that to this. It may be called again, with another
   * @returns undefined if the work returns that, or if a whole load is needed
   */
  readonly tryOut = async <T>(work: (change: OpenChange) => Promise<T | undefined>): Promise<Tried<T> | undefined> => {
    const { copy, signal } = this.#shared;
    return copy.hold(async (state) => {
      const trial = new TriedChange(copy.database);
      const change = await OpenChange.inTurn(copy.database, signal, trial);
      if (change === undefined) return undefined;
      try {
        const result = await work(change);
        if (result === undefined || trial.isTooMuch) return undefined;
        const { changes } = trial;
        const publish = async (): Promise<void> => {
          if (changes !== undefined) await this.#shared.publish(changes, state);
        };
        return { result, publish };
      } finally {
        change.close();
      }
    }, signal);
  };

  /** Brings the copy to what was published, and its derived files, if that is due. */
  readonly indexWhenDue = (progress: IndexingProgress): Promise<void> => this.#shared.index(progress, false);
}
