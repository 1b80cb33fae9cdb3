import { existsSync, statSync } from 'node:fs';
import { derivedFiles } from '../../store/index.js';
import { isSameState } from './copy-state.js';
import type { SharedState } from './shared-state.js';

/** After which indexing that failed is tried again, in milliseconds: a disk stays full for a while. */
export const TRY_AGAIN_AFTER = 300_000;

interface Seen {
  readonly state: SharedState;
  /** Names the file of the copy: one that was made anew is another, of whatever state. */
  readonly file: string;
  /** Which derived files are there. */
  readonly derived: string;
}

/**
 * Says when to look whether derived files of a copy are due: that takes more than is done at every look at the copy.
 * They are not told apart by their contents: where programs of two versions share a folder, each would write its own
 * in turn, on and on.
 */
export class IndexedCopy {
  readonly #database: string;
  #last: Seen | undefined;
  /** Until when nothing is tried after a failure, by `performance.now()`. */
  #pauseUntil: number | undefined;

  constructor(database: string) {
    this.#database = database;
  }

  /**
   * Whether anything may be due since the last attempt.
   *
   * @returns what to call when the attempt has ended, with whether all was written; undefined if nothing is due
   */
  attempt(state: SharedState): ((isDone: boolean) => void) | undefined {
    const seen: Seen = { state, file: fileOf(this.#database), derived: this.#derived() };
    if (!this.#isDue(seen)) return undefined;
    return (isDone) => {
      // As it was before: what somebody has deleted or replaced meanwhile is seen next.
      this.#last = seen;
      this.#pauseUntil = isDone ? undefined : performance.now() + TRY_AGAIN_AFTER;
    };
  }

  #isDue({ state, file, derived }: Seen): boolean {
    const last = this.#last;
    if (last === undefined || last.file !== file || !isSameState(last.state, state)) return true;
    // A failure may have written one file, and not another.
    if (this.#pauseUntil !== undefined) return performance.now() >= this.#pauseUntil;
    return last.derived !== derived;
  }

  #derived(): string {
    return derivedFiles(this.#database).filter(existsSync).join('\n');
  }
}

/** A file that takes the place of a deleted one may get its number, so that alone does not tell. */
function fileOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}
